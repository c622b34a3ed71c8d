#include "hcl/one_line.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/temp_folder_fake.h"
#include "hcl/hcl.h"

namespace koya::hcl {
namespace {

TEST(OneLineTest, PutsBlanksWhereTheFormatterDoes) {
  struct Row {
    std::string_view given;
    std::string_view expected;
  };
  for (const Row& row : {
           Row{"1", "1"},
           Row{"  [1,2 ,3]", "[1, 2, 3]"},
           Row{"[ ]", "[]"},
           Row{"{ }", "{}"},
           Row{"{a=1,b = [2]}", "{ a = 1, b = [2] }"},
           Row{"{\"a b\":1}", "{ \"a b\" : 1 }"},
           Row{"var . x [ 0 ].y", "var.x[0].y"},
           Row{"max( 1,2 )+3*-4", "max(1, 2) + 3 * -4"},
           Row{"a-b", "a-b"},
           Row{"a -b", "a - b"},
           Row{"! var.x", "!var.x"},
           Row{"x?1:2", "x ? 1 : 2"},
           Row{"[for k in[1]:k if k>0]", "[for k in [1] : k if k > 0]"},
           Row{"\"a  ${ var.x }\"", "\"a  ${ var.x }\""},
           Row{"concat(a...)", "concat(a...)"},
           Row{"aws_vpc.x.*.id", "aws_vpc.x.*.id"},
           Row{"(1)", "(1)"},
           Row{"provider::x::f(1,)", "provider::x::f(1, )"},
           Row{"- - a", "--a"},
           Row{"{for k, v in a : k => v... if k != null}",
               "{ for k, v in a : k => v... if k != null }"},
           Row{"a ? b : c ? d : e", "a ? b : c ? d : e"},
           Row{"\"%{ if a ~}x%{ else }y%{ endif }\"", "\"%{ if a ~}x%{ else }y%{ endif }\""},
           Row{"\"%{ for k, v in a }${v}%{ endfor }\"", "\"%{ for k, v in a }${v}%{ endfor }\""},
           Row{"{ (a.b) = 1, \"c.d\" : 2, }", "{ (a.b) = 1, \"c.d\" : 2, }"},
           Row{"größe[*].x", "größe[*].x"},
       }) {
    Result<std::string> line = FormatExpression(row.given);
    ASSERT_TRUE(line) << row.given << ": " << line.error().message;
    EXPECT_EQ(*line, row.expected);
    EXPECT_EQ(FormatExpression(*line).value_or("?"), row.expected);
  }
}

TEST(OneLineTest, RefusesWhatIsNoExpressionInALine) {
  for (std::string_view text : {"", " ", "[1", "1]", "a = 1", "a b", "}", "\"x", "[1,\n2]",
                                "<<EOT\nx\nEOT\n", "1\nprovider = 2", "x }\nmodule \"y\" {"}) {
    EXPECT_FALSE(FormatExpression(text)) << text;
  }
}

// Each was written into the block to copy as it is, and no client reads it.
TEST(OneLineTest, RefusesWhatIsNoExpressionInWholeOrWithin) {
  for (std::string_view text : {"1 +",
                                "%{ if true }x%{ endif }",
                                "\"%{ if true }x\"",
                                "\"%{ endif }\"",
                                "\"%{ if a }%{ else }%{ else }%{ endif }\"",
                                "\"%{ for x in a }%{ endif }\"",
                                "\"%{ while a }\"",
                                "\"%{ for x a }%{ endfor }\"",
                                "\"${}\"",
                                "\"${1 +}\"",
                                "\"${ \"${ 1 2 }\" }\"",
                                "\"${\n1}\"",
                                "[1, + 2, *]",
                                "[1 2]",
                                "{ a = }",
                                "{ a.b = 1 }",
                                "{ a = 1,, }",
                                "{ for = 1 }",
                                "[for x in a : x...]",
                                "{for x in a : x}",
                                "f(a..., b)",
                                "f(,)",
                                "a ? b",
                                "a ? b c",
                                "a..b",
                                "a.*.*",
                                "a::b",
                                "a & b",
                                "1.x",
                                "🍢",
                                "* 1",
                                "a = = b",
                                "!",
                                "()",
                                "a[]",
                                "'x'"}) {
    EXPECT_FALSE(FormatExpression(text)) << text;
  }
}

TEST(OneLineTest, SaysWhatIsWrongWithoutALine) {
  EXPECT_EQ(FormatExpression("1 +").error().message, "the end stands where a value should");
  EXPECT_EQ(FormatExpression("a b").error().message,
            "an operator or a comma is missing before \"b\"");
  EXPECT_EQ(FormatExpression("\"%{ if a }x\"").error().message,
            "the \"%{ if }\" that begins here has no \"%{ endif }\"");
}

TEST(OneLineTest, DepthIsBounded) {
  for (std::string_view part : {"(", "[", "{a=", "f(", "a[", "-(", "\"${", "a ? "}) {
    std::string text;
    for (int i = 0; i < 5'000; ++i) text += part;
    EXPECT_FALSE(FormatExpression(text)) << part;
  }
  EXPECT_TRUE(FormatExpression(std::string(20'000, '!') + "a"));
}

// Expressions, and what becomes of them when words go, come or change.
class Expressions {
 public:
  std::string Next() {
    std::vector<std::string> words;
    if (Upto(3) == 0) {
      for (std::size_t i = 0, count = 1 + Upto(8); i < count; ++i) words.push_back(AnyWord());
    } else {
      Add(words, 3);
      for (std::size_t i = 0, count = Upto(3); i < count; ++i) {
        const std::size_t place = Upto(words.size());
        if (Upto(2) == 0) {
          words[place] = AnyWord();
        } else if (Upto(2) == 0) {
          words.insert(words.begin() + static_cast<std::ptrdiff_t>(place), AnyWord());
        } else {
          words[place].clear();
        }
      }
    }
    std::string text;
    for (const std::string& each : words) text += each + (Upto(3) == 0 ? "" : " ");
    return text;
  }

 private:
  std::size_t Upto(std::size_t count) { return random_() % count; }
  std::string AnyWord() {
    static constexpr std::array<std::string_view, 42> kWords{"1",
                                                             "2.5",
                                                             "1e3",
                                                             "a",
                                                             "b-c",
                                                             "null",
                                                             "\"s\"",
                                                             "\"${a}\"",
                                                             "\"${a + }\"",
                                                             "(",
                                                             ")",
                                                             "[",
                                                             "]",
                                                             "{",
                                                             "}",
                                                             ",",
                                                             "=",
                                                             ":",
                                                             "?",
                                                             "=>",
                                                             "...",
                                                             ".",
                                                             "*",
                                                             "-",
                                                             "!",
                                                             "+",
                                                             "&&",
                                                             "||",
                                                             "==",
                                                             "::",
                                                             "for",
                                                             "in",
                                                             "if",
                                                             "%",
                                                             "<",
                                                             ">=",
                                                             "&",
                                                             "~",
                                                             "$",
                                                             "%{",
                                                             "\"%{ if a }\"",
                                                             "\"%{ for a in b }%{ endfor }\""};
    return std::string(kWords[Upto(kWords.size())]);
  }
  void Add(std::vector<std::string>& words, std::size_t depth) {
    auto add = [&](std::initializer_list<std::string_view> parts) {
      for (std::string_view part : parts) {
        if (part == "E") {
          Add(words, depth - 1);
        } else {
          words.emplace_back(part);
        }
      }
    };
    if (depth == 0) return add({Upto(2) == 0 ? "a" : "\"x${ a }\""});
    switch (Upto(12)) {
      case 0:
        return add({"[", "E", ",", "E", "]"});
      case 1:
        return add({"{", "a", "=", "E", ",", "\"b\"", ":", "E", "}"});
      case 2:
        return add({"f", "(", "E", ",", "E", "...", ")"});
      case 3:
        return add({"[", "for", "x", "in", "E", ":", "E", "if", "E", "]"});
      case 4:
        return add({"{", "for", "k", ",", "v", "in", "E", ":", "E", "=>", "E", "...", "}"});
      case 5:
        return add({"E", "?", "E", ":", "E"});
      case 6:
        return add({"-", "E", "+", "!", "E"});
      case 7:
        return add({"(", "E", ")"});
      case 8:
        return add({"a", ".", "b", "[", "E", "]", ".", "*", ".", "c"});
      case 9:
        return add({"\"%{ if a }${ b ~}%{ else }x%{ endif }\""});
      case 10:
        return add({"provider", "::", "x", "::", "f", "(", ")"});
      default:
        return add({"1.5", "<=", "E"});
    }
  }

  std::mt19937 random_{20'261};  // NOLINT(bugprone-random-generator-seed): the same each time
};

TEST(OneLineTest, TerraformReadsWhatIsAccepted) {
  if (std::system("terraform -version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "terraform is not installed";
  }
  const TempFolder folder;
  Expressions expressions;
  std::size_t accepted = 0;
  for (int i = 0; i < 4'000; ++i) {
    const Result<std::string> line = FormatExpression(expressions.Next());
    if (!line) continue;
    ++accepted;
    std::ofstream(folder / (std::to_string(i) + ".tf")) << "x = " << *line << '\n';
  }
  EXPECT_GT(accepted, 500);
  const std::string command = "cd '" + folder.path().string() +
                              "' && TF_CLI_CONFIG_FILE=/dev/null terraform fmt -no-color "
                              "-list=false -write=false . >said 2>&1";
  if (std::system(command.c_str()) == 0) return;
  std::stringstream said;
  said << std::ifstream(folder / "said").rdbuf();
  ADD_FAILURE() << said.str().substr(0, 4'000);
}

TEST(OneLineTest, QuotesMeanWhatWasWritten) {
  for (std::string_view text :
       {"", "plain", "a\"b\\c", "${var.x} %{ if x } $ % $${y}", "a\nb\tc\r", "雲 🍢", "\x01"}) {
    std::string quoted = QuotedText(text);
    Result<Value> value = ParseExpression(quoted);
    ASSERT_TRUE(value) << quoted << ": " << value.error().message;
    EXPECT_EQ(value->kind, Value::Kind::kText) << quoted;
    EXPECT_EQ(value->text, text) << quoted;
    EXPECT_EQ(quoted.find('\n'), quoted.npos);
  }
}

}  // namespace
}  // namespace koya::hcl
