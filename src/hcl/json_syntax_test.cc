#include "hcl/json_syntax.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace koya::hcl {
namespace {

constexpr std::array<BlockShape, 1> kInner{{{"rule", 0}}};
constexpr std::array<BlockShape, 3> kOuter{
    {{"variable", 1, {kInner.data(), kInner.size()}}, {"resource", 2}, {"locals", 0, {}, true}}};
constexpr BodyShape kJsonShape{kOuter.data(), kOuter.size()};

std::string Render(const Body& body) {
  std::string out;
  for (const Member& each : body.attributes) {
    out += fmt::format("{}={}:{};", each.name, static_cast<int>(each.value.kind),
                       each.value.text.empty() ? each.value.source : each.value.text);
  }
  for (const Block& block : body.blocks) {
    out += block.type;
    for (const std::string& label : block.labels) out += " " + label;
    out += fmt::format("@{}{{{}}}", block.range.line, Render(block.body));
  }
  return out;
}

struct JsonCase {
  std::string_view text;
  std::string_view shown;
};

TEST(JsonSyntaxTest, ReadsBlocksAndAttributes) {
  const std::vector<JsonCase> kCases = {
      {"{}", ""},
      {"[]", ""},
      {" [ {\"locals\": {\"a\": 1}}, {\"locals\": {\"b\": true}} ] ",
       "locals@1{a=1:1;}locals@1{b=2:true;}"},
      {"\xEF\xBB\xBF{\"//\": \"why\", \"a\": \"x\"}", "a=0:x;"},
      {R"({"variable": {"x": {"type": "string", "default": null}}})",
       "variable x@1{type=0:string;default=3:null;}"},
      {"{\"variable\": {\n\"x\": {},\n\"//\": 1,\n\"y\": {}}}", "variable x@2{}variable y@4{}"},
      {R"({"variable": [{"x": {}}, {"y": [{"rule": [{"a": 1}, {"a": 2}]}]}]})",
       "variable x@1{}variable y@1{rule@1{a=1:1;}rule@1{a=1:2;}}"},
      {R"({"resource": {"t": {"a": {"count": "${var.n}"}, "b": {}}}})",
       "resource t a@1{count=6:${var.n};}resource t b@1{}"},
      {R"({"a": "$${x} %%{y} \"\\\/\u00e4\ud83d\ude00"})", "a=0:${x} %{y} \"\\/ä😀;"},
      {R"({"a": -1.5e3, "b": [1, "x"], "c": {"d": {}}})",
       R"(a=1:-1.5e3;b=4:[1, "x"];c=5:{"d": {}};)"},
      {R"({"variable": null})", ""},
  };
  for (const JsonCase& each : kCases) {
    Parsed parsed = ParseJsonPartly(each.text, kJsonShape);
    EXPECT_TRUE(parsed.problems.empty()) << each.text << ": " << parsed.problems.front().ToString();
    EXPECT_EQ(Render(parsed.body), each.shown) << each.text;
  }
}

struct BadJson {
  std::string text;
  std::string_view words;
  std::string_view left;
};

TEST(JsonSyntaxTest, TellsWhatIsWrongAndKeepsTheRest) {
  const std::vector<BadJson> kCases = {
      {"", "line 1: the end of the file stands where a value", ""},
      {"1", "is an object", ""},
      {"nul", "a value", ""},
      {"{", "a name in quotes", ""},
      {"{\"a\": 1,}", "another element", "a=1:1;"},
      {"{\"a\": 1 \"b\": 2}", "\",\" or \"}\"", "a=1:1;"},
      {"{\"a\": 1} x", "the end of the file", "a=1:1;"},
      {"{\"a\" 1}", "\":\"", ""},
      {"{a: 1}", "a name in quotes", ""},
      {"{\"a\": \"x", "line 1: a string does not end", ""},
      {"{\"a\":\n\"x\ny\"}", "line 2: a string does not end", ""},
      {"{\"a\": \"\\x\"}", "backslash", ""},
      {"{\"a\": \"\\u12\"}", "hexadecimal", ""},
      {"{\"a\": \"\\ud800\"}", "character that there is not", ""},
      {"{\"a\": -}", "a digit", ""},
      {"{\"a\": 1.}", "a digit", ""},
      {"{\"a\": 1, \"a\": 2}", "line 1: \"a\" stands here twice", "a=1:1;a=1:2;"},
      {"{\"variable\": {\"x\": {},\n\"x\": {\"b\": 1}}}", "line 2: \"x\" stands here twice",
       "variable x@1{}variable x@2{b=1:1;}"},
      {"{\"variable\": {\"x\": 1, \"y\": {}}}", "takes an object", "variable y@1{}"},
      {"{\"variable\": {\"x\": {\"a\": 1}, \"y\": {\"a\": 1, \"b\": }}}", "a value",
       "variable x@1{a=1:1;}"},
      {"{\"a\": \"\xFF\"}", "UTF-8", ""},
      {std::string(300, '[') + std::string(300, ']'), "nested too deeply", ""},
      {"\"" + std::string(kMaxText, 'x') + "\"", "bytes", ""},
  };
  for (const BadJson& each : kCases) {
    Parsed parsed = ParseJsonPartly(each.text, kJsonShape);
    ASSERT_FALSE(parsed.problems.empty()) << each.text.substr(0, 80);
    EXPECT_NE(parsed.problems.front().ToString().find(each.words), std::string::npos)
        << each.text.substr(0, 80) << ": " << parsed.problems.front().ToString();
    EXPECT_EQ(Render(parsed.body), each.left) << each.text.substr(0, 80);
  }
}

TEST(JsonSyntaxTest, ReadsTheTemplatesOfWhatIsEvaluated) {
  for (std::string_view value : {R"("a ${var.x} b")", R"("%{ if var.x }a%{ else }b%{ endif }")",
                                 R"("${f(\"a\", [1])}")", R"("${var.x}\n$${y} %%{z}")",
                                 R"(["${a}", {"b": "${c}"}])", R"("100 % {")", R"("C:\\x${a}")"}) {
    const std::string text = fmt::format(R"({{"locals": {{"a": {}}}}})", value);
    const Parsed parsed = ParseJsonPartly(text, kJsonShape);
    EXPECT_TRUE(parsed.problems.empty()) << text << ": " << parsed.problems.front().ToString();
  }
  for (std::string_view value : {R"("%{ if var.x }a")", R"("${var.x")", R"("${1 +}")", R"("${}")",
                                 R"(["x", {"b": "%{ for x in y }"}])"}) {
    const std::string text = fmt::format("{{\"locals\": {{\"a\":\n{}}}}}", value);
    const Parsed parsed = ParseJsonPartly(text, kJsonShape);
    ASSERT_EQ(parsed.problems.size(), 1U) << text;
    EXPECT_EQ(parsed.problems[0].range.line, 2U) << text;
    EXPECT_TRUE(parsed.problems[0].what.starts_with("the template of this string cannot be read: "))
        << parsed.problems[0].what;
    EXPECT_EQ(parsed.body.blocks.size(), 1U) << "it is read nevertheless";
    // Literal strings have no problems.
    const std::string literal = fmt::format(R"({{"variable": {{"v": {{"default": {}}}}}}})", value);
    EXPECT_TRUE(ParseJsonPartly(literal, kJsonShape).problems.empty()) << literal;
  }
}

TEST(JsonSyntaxTest, StopsAtTheBoundOfParts) {
  std::string text = "[";
  for (int i = 0; i < 1'000; ++i) text += "{},";
  Parsed parsed = ParseJsonPartly(text + "{}]", kJsonShape, {.parts = 100});
  ASSERT_EQ(parsed.problems.size(), 1U);
  EXPECT_NE(parsed.problems.front().what.find("too much"), std::string::npos);
  EXPECT_EQ(parsed.parts, 100U);
}

}  // namespace
}  // namespace koya::hcl
