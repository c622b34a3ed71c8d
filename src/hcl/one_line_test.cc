#include "hcl/one_line.h"

#include <gtest/gtest.h>

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
