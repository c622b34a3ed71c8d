#include "hcl/hcl.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::hcl {
namespace {

// A value in one line: texts in quotes, other expressions in <>.
std::string Show(const Value& value) {
  std::string out;
  switch (value.kind) {
    case Value::Kind::kText:
      return "\"" + value.text + "\"";
    case Value::Kind::kNumber:
    case Value::Kind::kBool:
    case Value::Kind::kNull:
      return value.text;
    case Value::Kind::kTemplate:
    case Value::Kind::kOther:
      return "<" + value.text + ">";
    case Value::Kind::kList:
      for (const Value& item : value.items) out += (out.empty() ? "" : ",") + Show(item);
      return "[" + out + "]";
    case Value::Kind::kObject:
      for (const Member& member : value.members) {
        out += (out.empty() ? "" : ",") + member.name + "=" + Show(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

std::string Show(const Body& body) {
  std::string out;
  for (const Member& each : body.attributes) out += each.name + "=" + Show(each.value) + ";";
  for (const Block& block : body.blocks) {
    out += block.type;
    for (const std::string& label : block.labels) out += " " + label;
    out += "{" + Show(block.body) + "}";
  }
  return out;
}

struct Case {
  std::string_view text;
  std::string_view shown;
};

TEST(HclTest, ReadsBlocksAndAttributes) {
  const std::vector<Case> kCases = {
      {"", ""},
      {"\n\n# nothing\n// here\n/* or\nhere */\n", ""},
      {"\xEF\xBB\xBF"
       "a = \"b\"",
       "a=\"b\";"},
      {"a = \"b\"\r\nc = \"d\"\r\n", "a=\"b\";c=\"d\";"},
      {"a=\"b\" # why\n", "a=\"b\";"},
      {"block {\n}\n", "block{}"},
      {"block \"one\" two { a = \"b\" }", "block one two{a=\"b\";}"},
      {"x {\n  y {\n    z = \"1\"\n  }\n  a = \"2\"\n}\n", "x{a=\"2\";y{z=\"1\";}}"},
      {"a-b_c = \"1\"\nä = \"2\"", "a-b_c=\"1\";ä=\"2\";"},
      {"x /* { */ {\n} // }", "x{}"},
  };
  for (const Case& each : kCases) {
    auto body = Parse(each.text);
    ASSERT_TRUE(body) << each.text << ": " << body.error().message;
    EXPECT_EQ(Show(*body), each.shown) << each.text;
  }
}

TEST(HclTest, ReadsValuesThatAreWrittenOut) {
  const std::vector<Case> kCases = {
      {R"("")", R"("")"},
      {R"("a\"b\\\n\t\r")", "\"a\"b\\\n\t\r\""},
      {R"("\u00e4\U0001F600")", "\"ä😀\""},
      {R"("$${a} %%{b} $x 100%")", R"("${a} %{b} $x 100%")"},
      {R"([])", "[]"},
      {R"(["a", "b"])", R"(["a","b"])"},
      {"[\n  \"a\", # one\n  \"b\",\n]", R"(["a","b"])"},
      {"{ a = \"b\", c = \"d\" }", R"({a="b",c="d"})"},
      {"{\n  a = \"b\"\n\n  \"c\" : \"d\",\n}", R"({a="b",c="d"})"},
      {"{ a = { b = [\"c\"] } }", R"({a={b=["c"]}})"},
      {"{}", "{}"},
  };
  for (const Case& each : kCases) {
    auto body = Parse("x = " + std::string(each.text) + "\n");
    ASSERT_TRUE(body) << each.text << ": " << body.error().message;
    EXPECT_EQ(Show(body->attributes.front().value), each.shown) << each.text;
  }
}

TEST(HclTest, LeavesExpressionsAsTheyStand) {
  const std::vector<Case> kCases = {
      {"1", "1"},
      {"1.5e3", "1.5e3"},
      {"true", "true"},
      {"aws.east", "<aws.east>"},
      {"-1", "-1"},
      {R"("a${b}")", R"(<"a${b}">)"},
      {R"("${"}"}")", R"(<"${"}"}">)"},
      {R"("${a["${b}"]} { # \" ")", R"(<"${a["${b}"]} { # \" ">)"},
      {R"("%{ if a }x%{ endif }")", R"(<"%{ if a }x%{ endif }">)"},
      {R"("a" == "b" ? "c" : "d")", R"(<"a" == "b" ? "c" : "d">)"},
      {R"(f("a", { b = 1 }, [2]))", R"(<f("a", { b = 1 }, [2])>)"},
      {"f(\n  \"a\",\n  \"b\"\n)", "<f(\n  \"a\",\n  \"b\"\n)>"},
      {R"([for a in b : a])", R"(<[for a in b : a]>)"},
      {R"({ for k, v in x : k => v... })", R"(<{ for k, v in x : k => v... }>)"},
      {R"(["a"][0])", R"(<["a"][0]>)"},
      {R"(["a", b, 1 + 2])", R"(["a",<b>,<1 + 2>])"},
      {R"({ a = b ? 1 : 2, (c) = "d", aws.e = aws.f, g = "h" })",
       R"({a=<b ? 1 : 2>,(c)="d",aws.e=<aws.f>,g="h"})"},
      {"<<EOT\n}\n\"${x}\nEOT", "<<<EOT\n}\n\"${x}\nEOT>"},
      {"[<<EOT\n${x}]\nEOT\n, \"b\"]", "[<<<EOT\n${x}]\nEOT>,\"b\"]"},
  };
  for (const Case& each : kCases) {
    auto body = Parse("x = " + std::string(each.text) + "\n");
    ASSERT_TRUE(body) << each.text << ": " << body.error().message;
    ASSERT_EQ(body->attributes.size(), 1U) << each.text;
    EXPECT_EQ(Show(body->attributes.front().value), each.shown) << each.text;
  }
}

TEST(HclTest, KnowsTheLine) {
  auto body = Parse("# one\n\na = <<E\nx\nE\n/*\n*/ b {\n  c = [\n    \"d\"]\n}\n");
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(body->attributes[0].range.line, 3U);
  EXPECT_EQ(body->blocks[0].range.line, 7U);
  const Value* list = body->blocks[0].body.FindAttribute("c");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->range.line, 8U);
  EXPECT_EQ(list->items[0].range.line, 9U);
  EXPECT_EQ(body->FindAttribute("c"), nullptr);
}

TEST(HclTest, RefusesWhatIsNoHcl) {
  struct Bad {
    std::string text;
    std::string_view words;
  };
  const std::vector<Bad> kCases = {
      {"a", "line 1: the end of the file stands where \"=\" or \"{\""},
      {"a\n", "the end of the line"},
      {"a =", "a value"},
      {"a = 1\rb = 2\n", "\"\\x0d\" is no part of the language"},
      {"a = 1\r", "\"\\x0d\" is no part of the language"},
      {"a = 1\r\r\n", "\"\\x0d\" is no part of the language"},
      {"a = \n\"b\"", "a value"},
      {"\n\n}", "line 3: there is a \"}\" too many"},
      {"a {\n b {\n }\n", "line 1: the block \"a\" that begins here has no end"},
      {"a = \"b", "line 1: a string does not end"},
      {"a = \"b\nc\"", "line 1: a string does not end"},
      {"a = \"\\x\"", "backslash"},
      {"a = \"\\u12\"", "hexadecimal"},
      {"a = \"\\ud800\"", "character that there is not"},
      {"a = \"\\U00110000\"", "character that there is not"},
      {"a = \"${b\"", "template"},
      {"a = \"${b", "template"},
      {"a = [\"b\"", "line 1: a bracket that begins here has no end"},
      {"a = [,]", "a value"},
      {"a = { b }", "\"=\""},
      {"a = { b = }", "a value"},
      {"a = { b = \"c\"", "a bracket that begins here has no end"},
      {"a = [\n\n(", "line 1: a bracket that begins here has no end"},
      {"a = f(", "a bracket that begins here has no end"},
      {"a = )", "an expression"},
      {"a = <<EOT\nx\n", "heredoc"},
      {"a = <<\nx\n", "heredoc"},
      {"/* x", "line 1: a comment that begins here"},
      {"= \"a\"", "the name of an attribute"},
      {"\"a\" = \"b\"", "the name of an attribute"},
      {"a = \"b\" c = \"d\"\n}", "too many"},
      {"a { } b { }", "the end of the line"},
      {"a = 'b'", "no part of the language"},
      {std::string("a = \0", 5), "no part of the language"},
      {"a = \"\xFF\"", "UTF-8"},
      {"a = " + std::string(250, '[') + std::string(250, ']'), "nested too deeply"},
      {std::string("a = \"") + std::string(kMaxText, 'x') + "\"", "bytes"},
  };
  for (const Bad& each : kCases) {
    auto body = Parse(each.text);
    ASSERT_FALSE(body) << each.text.substr(0, 80);
    EXPECT_EQ(body.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(body.error().message.find(each.words), std::string::npos) << body.error().message;
  }
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "a {\n";
  EXPECT_FALSE(Parse(deep));
  deep = "a = \"";
  for (int i = 0; i < 300; ++i) deep += "${\"";
  EXPECT_FALSE(Parse(deep));
}

}  // namespace
}  // namespace koya::hcl
