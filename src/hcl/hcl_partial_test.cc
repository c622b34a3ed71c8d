// The readable parts of a text with mistakes, and the limits on parsing any text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "hcl/hcl.h"

namespace koya::hcl {
namespace {

struct PartlyCase {
  std::string text;
  std::string_view blocks;    // first labels of the blocks that are kept
  std::string_view problems;  // LINE:COLUMN of each
};

TEST(HclPartialTest, GoesOnBehindAMistake) {
  const std::vector<PartlyCase> kCases = {
      {"v \"a\" {}\n", "a ", ""},
      {"v \"a\" {\n  x = \n}\nv \"b\" {}\n", "b ", "2:7 "},
      {"v \"a\" {}\nv \"b\" {\n  x = 'y'\n}\nv \"c\" {}\n", "a c ", "3:7 "},
      {"v \"a\" {}\nv \"b\" {\n  x = \"ä\" )\n}\nv \"c\" {}\n}\nv \"d\" {}\n", "a c d ",
       "3:11 6:1 "},
      {"v \"a\" {\n  x = [\nv \"b\" {}\n", "b ", "2:7 "},
      {"v \"a\" {\n  x = <<E\nv \"b\" {}\n", "b ", "2:7 "},
      {"v \"a\" {\n  x = 1\n  x = 2\n}\n", "a ", "3:3 "},
      {"\xFF", "", "1:1 "},
      {"v \"a\" {}\nv \"b\" {} \xFF", "", "2:1 "},
  };
  for (const PartlyCase& each : kCases) {
    Parsed parsed = ParsePartly(each.text);
    std::string blocks;
    for (const Block& block : parsed.body.blocks) blocks += block.labels.front() + " ";
    std::string problems;
    for (const Problem& problem : parsed.problems) {
      problems += fmt::format("{}:{} ", problem.range.line, problem.range.column);
    }
    EXPECT_EQ(blocks, each.blocks) << each.text;
    EXPECT_EQ(problems, each.problems) << each.text << parsed.problems.front().ToString();
  }
}

TEST(HclPartialTest, KeepsCommentsAndPlaces) {
  std::string text =
      "/**\n * The head.\n *\n * More.\n */\n\n# one\n# two\nv \"a\" {}\n\n// far\n\nv \"b\" {\n"
      "  x = f(1) # y\n}\nv \"c\" {} # behind\nv \"d\" {}\n";
  Parsed parsed = ParsePartly(text);
  ASSERT_TRUE(parsed.problems.empty()) << parsed.problems.front().ToString();
  EXPECT_EQ(parsed.header, "The head.\n\nMore.");
  ASSERT_EQ(parsed.body.blocks.size(), 4U);
  EXPECT_EQ(parsed.body.blocks[0].comment, "one\ntwo");
  EXPECT_EQ(parsed.body.blocks[1].comment, "");
  EXPECT_EQ(parsed.body.blocks[3].comment, "");
  EXPECT_EQ(parsed.body.blocks[1].source, "v \"b\" {\n  x = f(1) # y\n}");
  const Value* value = parsed.body.blocks[1].body.FindAttribute("x");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->source, "f(1)");
  EXPECT_EQ(value->range.line, 14U);
  EXPECT_EQ(value->range.column, 7U);
  EXPECT_EQ(text.substr(value->range.begin, value->range.end - value->range.begin), "f(1)");
}

TEST(HclPartialTest, GivesLiteralsAsJson) {
  struct Literal {
    std::string_view text;
    std::string_view json;  // "": none
  };
  const std::vector<Literal> kCases = {
      {"\"a\\n\\\"\"", R"("a\n\"")"},
      {"[1, -2.5, true, null]", "[1,-2.5,true,null]"},
      {"{ a = 1, \"b c\" = { d = [] } }", R"({"a":1,"b c":{"d":[]}})"},
      {"{ a = 1, a = 2 }", R"({"a":2})"},
      {"007", "7"},
      {"<<E\na\n  b\nE", R"("a\n  b\n")"},
      {"<<-E\n    a\n      b\n\n  E", R"("a\n  b\n\n")"},
      {"var.x", ""},
      {"[1, var.x]", ""},
      {"{ (a) = 1 }", ""},
      {"\"${x}\"", ""},
      {"1 + 1", ""},
      // Brackets mean what stands in them.
      {"(1)", "1"},
      {"( ( \n true ) )", "true"},
      {"[(1), (\"a\")]", "[1,\"a\"]"},
      {"{ (\"a\") = (1), (2) = 3, (true) = 4 }", R"({"a":1,"2":3,"true":4})"},
      {"{ (\"a\") = 1, a = 2 }", R"({"a":2})"},
      {"(1) + (2)", ""},
      {"((1) + (2))", ""},
      {"(var.x)", ""},
      {"{ (null) = 1 }", ""},
      {"{ ([1]) = 1 }", ""},
  };
  for (const Literal& each : kCases) {
    auto value = ParseExpression(each.text);
    ASSERT_TRUE(value) << each.text << ": " << value.error().message;
    EXPECT_EQ(LiteralJson(*value).value_or(""), each.json) << each.text;
  }
}

// Steps are bytes looked at: a count that no machine is too slow for.
TEST(HclPartialTest, ReadsHostileTextsInLinearTime) {
  auto repeated = [](std::string_view text, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  const std::vector<std::string> kTexts = {
      repeated("a {\n", 10'000),
      repeated("a {", 10'000),
      repeated("a = [", 10'000),
      repeated("\"${", 10'000),
      "a = " + repeated("\"${", 10'000),
      "a = <<E\n" + repeated("E x\n", 10'000),
      repeated("a = <<E\n", 10'000),
      "a = \"" + std::string(1'000'000, 'x') + "\"",
      "a = " + repeated("(", 100'000),
      repeated("/*", 10'000),
      repeated("a {\n/*", 10'000),
      repeated("#\n", 10'000),
      repeated("a \"b\" {\n \"\n", 10'000),
      repeated("\r\n", 10'000),
      repeated("a {\n <<E\n", 10'000),
  };
  for (const std::string& text : kTexts) {
    Parsed parsed = ParsePartly(text);
    EXPECT_LE(parsed.steps, (kMaxProblems + 1) * (text.size() + 1)) << text.substr(0, 40);
    EXPECT_LE(parsed.problems.size(), kMaxProblems + 1) << text.substr(0, 40);
  }
  Parsed large = ParsePartly("a = \"" + std::string(std::size_t{50} << 20, 'x') + "\"");
  ASSERT_EQ(large.problems.size(), 1U);
  EXPECT_EQ(large.steps, 0U);
}

TEST(HclPartialTest, ReadsManyBlocks) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("variable \"v{}\" {{}}\r\n", i);
  Parsed parsed = ParsePartly(text);
  EXPECT_TRUE(parsed.problems.empty());
  EXPECT_EQ(parsed.body.blocks.size(), 100'000U);
  EXPECT_EQ(parsed.body.blocks.back().range.line, 100'000U);
  EXPECT_EQ(parsed.parts, 200'000U);
  Parsed bounded = ParsePartly(text, {.parts = 1'000});
  ASSERT_EQ(bounded.problems.size(), 1U);
  EXPECT_EQ(bounded.body.blocks.size(), 500U);
}

}  // namespace
}  // namespace koya::hcl
