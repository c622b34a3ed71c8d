#include "web/common/message_translation.h"

#include <gtest/gtest.h>

#include "inspect/changes.h"

namespace koya::web {
namespace {

inspect::Input Kept(std::string name, std::string type, std::string default_text = {}) {
  inspect::Input input;
  input.name = std::move(name);
  input.type = std::move(type);
  input.required = default_text.empty();
  input.default_text = std::move(default_text);
  input.default_json = input.default_text;
  return input;
}

// Two versions that differ in everything that a comparison reports of inputs, outputs, requirements
// and resources.
std::vector<inspect::Change> ManyChanges() {
  inspect::ModuleContents from;
  inspect::ModuleContents to;
  from.root.inputs = {Kept("gone", "string"),         Kept("typed", "string"),
                      Kept("wider", "number"),        Kept("bare", "string", "\"x\""),
                      Kept("eased", "string"),        Kept("default", "string", "\"a\""),
                      Kept("secret", "string"),       Kept("brief", "string"),
                      Kept("null", "string", "null"), Kept("old", "string")};
  to.root.inputs = {Kept("typed", "list(string)"),
                    Kept("wider", "string"),
                    Kept("bare", "string"),
                    Kept("eased", "string", "\"y\""),
                    Kept("default", "string", "\"b\""),
                    Kept("secret", "string"),
                    Kept("brief", "string"),
                    Kept("null", "string", "null"),
                    Kept("old", "string"),
                    Kept("wanted", "string"),
                    Kept("free", "string", "1")};
  to.root.inputs[5].sensitive = true;
  to.root.inputs[6].ephemeral = true;
  to.root.inputs[6].description = "new words";
  to.root.inputs[7].nullable = false;
  to.root.inputs[8].deprecated = "use another";
  to.root.inputs[8].validations = {{"true", "must be good"}, {"false", ""}};
  std::string many;
  for (int i = 0; i < 20; ++i) many += "x" + std::to_string(i) + " = string, ";
  const std::vector<std::pair<std::string, std::string>> kTypes = {
      {"string", "bool"},
      {"list(string)", "set(string)"},
      {"object({ " + many + "})", "object({ y = any })"},
      {"object({ a = string, b = list(string), c = number, d = number, e = optional(bool, true) })",
       "object({ a = bool, b = set(string), c = string, d = bool, e = optional(bool, false), "
       "f = optional(any) })"},
      {"object({ a = string })", "object({ a = optional(string) })"},
  };
  for (const auto& [before, after] : kTypes) {
    from.root.inputs.push_back(Kept("type of " + before, before));
    to.root.inputs.push_back(Kept("type of " + before, after));
  }
  from.root.inputs.push_back(Kept("plain", "string", "1"));
  to.root.inputs.push_back(Kept("plain", "string", "1"));
  to.root.inputs.back().nullable = false;
  auto call = [](std::string name, std::string constraint) {
    inspect::ModuleCall each;
    each.name = std::move(name);
    each.source = "a/b/c";
    each.constraint = std::move(constraint);
    return each;
  };
  from.root.calls = {call("a", "~> 6.0"), call("b", "6.1.0"), call("c", "~> 6.0")};
  to.root.calls = {call("a", "~> 7.0"), call("b", "6.2.0"), call("c", ">= 6.0, < 7.0")};
  from.root.unread = {"broken.tf"};
  to.root.unread = {"bad.tf"};
  from.root.outputs.resize(2);
  from.root.outputs[0].name = "gone";
  from.root.outputs[1].name = "kept";
  to.root.outputs = {from.root.outputs[1]};
  to.root.outputs[0].sensitive = true;
  to.root.outputs.push_back({});
  to.root.outputs[1].name = "fresh";
  auto need = [](std::string name, std::string address, std::string constraint) {
    inspect::Requirement each;
    each.name = std::move(name);
    each.address = std::move(address);
    each.constraint = std::move(constraint);
    return each;
  };
  from.root.requirements = {need("aws", "h/a/aws", ">= 5.0"), need("b", "h/a/b", ">= 1.0"),
                            need("c", "h/a/c", ""), need("d", "h/a/d", ">= 1.2")};
  to.root.requirements = {need("aws", "h/a/aws", ">= 6.0"), need("b", "h/x/b", ">= 1.0"),
                          need("e", "h/a/e", "~> 1.0"), need("d", "h/a/d", ">= 1.0")};
  to.root.requirements[0].aliases = {"aws.east"};
  from.root.required_version = ">= 1.5";
  to.root.required_version = ">= 1.8";
  auto resource = [](std::string type) {
    inspect::Resource each;
    each.mode = "managed";
    each.type = std::move(type);
    each.name = "x";
    return each;
  };
  from.root.resources = {resource("a_gone"), resource("a_moved"), resource("a_removed"),
                         resource("a_each"), resource("read"),    resource("read_often")};
  to.root.resources = {resource("a_here"), resource("a_each"), resource("a_new"),
                       resource("read_often")};
  to.root.resources[1].repetition.for_each = "var.x";
  from.root.resources[4].mode = from.root.resources[5].mode = to.root.resources[3].mode = "data";
  to.root.resources[3].repetition.count = "2";
  to.root.refactorings = {{.kind = "moved", .from = "a_moved.x", .to = "a_here.x"},
                          {.kind = "removed", .from = "a_removed.x"}};
  from.submodules.resize(1);
  from.submodules[0].path = "modules/gone";
  to.submodules.resize(1);
  to.submodules[0].path = "modules/fresh";
  from.examples = from.submodules;
  from.files = {{"a.txt", 1}};
  to.files = {{"b.txt", 1}};
  from.root.readme.text = "one";
  to.root.readme.text = "two";
  from.licence.spdx = "MIT";
  to.licence.spdx = "Apache-2.0";
  return inspect::FindChanges(from, to);
}

TEST(SaidSentenceTest, KnowsWhatComparisonsSay) {
  const std::vector<inspect::Change> changes = ManyChanges();
  EXPECT_GT(changes.size(), 30U);
  for (Language language : {Language::kJapanese, Language::kChinese}) {
    for (const inspect::Change& each : changes) {
      EXPECT_EQ(SayIn(language, each.sentence).language, language) << each.sentence;
    }
    inspect::ModuleContents with;
    with.root.files = {"main.tf"};
    for (const inspect::Change& each :
         {inspect::FindChanges(with, {}).front(), inspect::FindChanges({}, with).front()}) {
      EXPECT_EQ(SayIn(language, each.sentence).language, language) << each.sentence;
    }
  }
}

TEST(SaidSentenceTest, KeepsWhatStandsInTheSentence) {
  EXPECT_EQ(SayIn(Language::kJapanese, "Its default changed from \"a\" to {b}.").text,
            "既定値が\"a\"から{b}に変わりました。");
  EXPECT_EQ(NameIn(Language::kChinese, "modules/vpc: input \"cidr\"").text,
            "modules/vpc: 输入变量\"cidr\"");
  EXPECT_EQ(NameIn(Language::kJapanese, "input \"a: b\"").text, "入力変数\"a: b\"");
  EXPECT_EQ(NameIn(Language::kJapanese, "aws_vpc.main").text, "aws_vpc.main");
}

TEST(SaidSentenceTest, LeavesWhatCanBeReadInTwoWaysAndWhatNobodySays) {
  for (const char* text : {"Its default changed from 1 to 2 to 3.", "Nobody says this.", "",
                           "Its default changed", "It is new. "}) {
    MessageTranslation said = SayIn(Language::kJapanese, text);
    EXPECT_EQ(said.text, text);
    EXPECT_EQ(said.language, Language::kEnglish) << text;
  }
  std::string long_text = "It was ";
  for (int i = 0; i < 5000; ++i) long_text += ", and is ";
  EXPECT_EQ(SayIn(Language::kChinese, long_text).text, long_text);
  EXPECT_EQ(SayIn(Language::kEnglish, "It is new.").language, Language::kEnglish);
}

}  // namespace
}  // namespace koya::web
