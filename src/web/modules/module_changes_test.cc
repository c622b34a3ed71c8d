// What comparisons say, in every language.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "inspect/changes.h"
#include "web/common/words.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_pages_fake.h"

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

std::string EnglishOf(const std::string& code, const std::vector<std::string>& arguments) {
  static constexpr std::string_view kNames[] = {"a", "b", "c"};
  std::vector<Filling> fillings;
  for (std::size_t i = 0; i < arguments.size(); ++i) fillings.push_back({kNames[i], arguments[i]});
  return FilledWord(Language::kEnglish, "say." + code, fillings);
}

// The words of the pages say in English what the comparison says.
TEST(ModuleChangesTest, EveryChangeHasWords) {
  std::vector<inspect::Change> changes = ManyChanges();
  EXPECT_GT(changes.size(), 30U);
  inspect::ModuleContents with;
  with.root.files = {"main.tf"};
  changes.push_back(inspect::FindChanges(with, {}).front());
  changes.push_back(inspect::FindChanges({}, with).front());
  for (const inspect::Change& each : changes) {
    EXPECT_EQ(EnglishOf(each.code, each.arguments), each.sentence);
    if (each.item.empty()) continue;
    EXPECT_EQ(EnglishOf("what_" + each.item, {each.name}), each.what);
  }
}

wire::ComparedChange DefaultChange() {
  return {.section = "inputs",
          .kind = "changed",
          .what = "modules/vpc: input \"cidr\"",
          .where = "main.tf:3",
          .severity = "read",
          .text = "Its default changed from \"a\" to {b}.",
          .folder = "modules/vpc",
          .item = "input",
          .name = "cidr",
          .code = "default_changed",
          .arguments = {"\"a\"", "{b}"}};
}

std::string PageOf(Language language, const wire::ComparedChange& change) {
  ModuleChangesForm form{.from = "1.0.0", .to = "1.1.0", .problem = {}, .compared = true};
  form.changes = {change};
  PageFrame frame;
  frame.language = language;
  static const auto* sample = new SampleModule(MakeSampleModule());
  return RenderModuleChanges(frame, sample->Page(), form);
}

TEST(ModuleChangesTest, TellsArgumentsAsTheyAre) {
  const std::string japanese = PageOf(Language::kJapanese, DefaultChange());
  EXPECT_TRUE(japanese.contains("既定値が&quot;a&quot;から{b}に変わりました。")) << japanese;
  EXPECT_TRUE(japanese.contains("modules/vpc: 入力変数&quot;cidr&quot;")) << japanese;
  EXPECT_TRUE(PageOf(Language::kEnglish, DefaultChange())
                  .contains("Its default changed from &quot;a&quot; to {b}."));
}

TEST(ModuleChangesTest, StaysEnglishWithoutWords) {
  for (const std::string code : {"", "no_such_code"}) {
    wire::ComparedChange change = DefaultChange();
    change.code = code;
    change.item = code;
    const std::string page = PageOf(Language::kChinese, change);
    EXPECT_TRUE(page.contains("<span lang=\"en\"><bdi>Its default changed")) << page;
    EXPECT_TRUE(page.contains("<span lang=\"en\"><bdi>modules/vpc: input")) << page;
  }
  wire::ComparedChange change = DefaultChange();
  change.arguments.pop_back();
  EXPECT_TRUE(PageOf(Language::kChinese, change).contains("<bdi>Its default changed")) << "too few";
}

}  // namespace
}  // namespace koya::web
