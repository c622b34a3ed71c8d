#include "inspect/change_list.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/module_files_fake.h"

namespace koya::inspect {
namespace {

TEST(TypeChangeTest, JudgesTypes) {
  struct TypeRow {
    std::string_view from;
    std::string_view to;
    std::string_view kind;  // "": no change
  };
  const std::vector<TypeRow> kRows = {
      {"string", "string", ""},
      {"list(string)", "list( string )", ""},
      {"object({ a = string, b = bool })", "object({ b = bool, a = string })", ""},
      {"string", "any", "compatible"},
      {"any", "string", "breaking"},
      {"number", "string", "compatible"},
      {"bool", "string", "compatible"},
      {"string", "number", "read"},
      {"string", "bool", "read"},
      {"bool", "number", "breaking"},
      {"number", "bool", "breaking"},
      {"string", "list(string)", "breaking"},
      {"list(number)", "list(string)", "compatible"},
      {"list(string)", "list(number)", "read"},
      {"list(any)", "list(string)", "read"},
      {"map(any)", "map(number)", "read"},
      {"list(any)", "list(list(string))", "breaking"},
      {"object({ a = any })", "object({ a = bool })", "read"},
      {"list(string)", "set(string)", "read"},
      {"set(string)", "list(string)", "read"},
      {"list(string)", "set(list(string))", "breaking"},
      {"list(number)", "set(string)", "read"},
      {"list(number)", "set(bool)", "breaking"},
      {"tuple([string, string])", "list(number)", "read"},
      {"tuple([string, bool])", "list(number)", "breaking"},
      {"object({ a = string })", "map(number)", "read"},
      {"tuple([string, number])", "list(string)", "compatible"},
      {"list(string)", "tuple([string])", "breaking"},
      {"tuple([string])", "tuple([string, string])", "breaking"},
      {"tuple([number])", "tuple([string])", "compatible"},
      {"map(string)", "map(any)", "compatible"},
      {"object({ a = number })", "map(string)", "compatible"},
      {"object({ a = list(string) })", "map(string)", "breaking"},
      {"map(string)", "object({ a = string })", "breaking"},
      {"object({ a = string })", "object({ a = string, b = optional(string) })", "compatible"},
      {"object({ a = string })", "object({ a = string, b = string })", "breaking"},
      {"object({ a = string })", "object({ a = optional(string) })", "compatible"},
      {"object({ a = optional(string) })", "object({ a = string })", "breaking"},
      {"object({ a = string, b = string })", "object({ a = string })", "breaking"},
      {"object({ a = number })", "object({ a = string })", "compatible"},
      {"object({ a = optional(number, 1) })", "object({ a = optional(number, 2) })", "read"},
      {"object({ a = optional(list(number), [1,2]) })",
       "object({ a = optional(list(number), [1, 2]) })", ""},
      {"lst(string)", "list(string)", "read"},
      {"lst(string)", "lst(string)", ""},
  };
  for (const TypeRow& each : kRows) {
    auto text = [](std::string_view type) {
      return fmt::format("variable \"a\" {{\n  type = {}\n}}\n", type);
    };
    std::string expected =
        each.kind.empty() ? "" : fmt::format("inputs changed {} input \"a\"\n", each.kind);
    EXPECT_EQ(Lines(ChangesBetween(text(each.from), text(each.to))), expected)
        << each.from << " => " << each.to;
  }
}

TEST(TypeChangeTest, DefaultsAreComparedByValue) {
  struct ValueRow {
    std::string_view type;  // "": none
    std::string_view from;
    std::string_view to;
    bool same;
  };
  const std::vector<ValueRow> kRows = {
      {"map(string)", "{\n team = \"net\"\n cost = \"12\" }", "{ cost = \"12\", team = \"net\" }",
       true},
      {"map(string)", "{ a = \"1\" }", "{ a = 1 }", true},
      {"map(string)", "{ a = \"1.0\" }", "{ a = 1.0 }", false},
      {"map(string)", "{ a = true }", "{ a = \"true\" }", true},
      {"map(string)", "{ a = \"x\" }", "{ b = \"x\" }", false},
      {"", "{ a = 1, b = [1, 2] }", "{ b = [1, 2], a = 1 }", true},
      {"", "{ a = 1, b = [1, 2] }", "{ b = [2, 1], a = 1 }", false},
      {"", "{ a = 1 }", "{ a = \"1\" }", false},
      {"", "{ (\"a\") = 1 }", "{ a = 1 }", true},
      {"", "{ \"a\" : 1 }", "{ a = 1, }", true},
      {"set(string)", "[\"a\", \"b\"]", "[\"b\", \"a\"]", true},
      {"set(string)", "[\"a\", \"b\"]", "[\"b\", \"a\", \"b\"]", true},
      {"set(string)", "[\"a\", \"b\"]", "[\"b\", \"c\"]", false},
      {"set(set(number))", "[[1, 2], [3]]", "[[3.0], [2, 1]]", true},
      {"list(string)", "[\"a\", \"b\"]", "[\"b\", \"a\"]", false},
      {"tuple([string, number])", "[1, \"2\"]", "[\"1\", 2]", true},
      {"number", "1.0", "1", true},
      {"number", "1e3", "1000", true},
      {"number", "0.10", "1e-1", true},
      {"number", "(1)", "1", true},
      {"number", "((\n1 ))", "1", true},
      {"number", "\"1\"", "1", true},
      {"number", "-0", "0", true},
      {"number", "1e200", "10e199", true},
      {"number", "1e3", "1e4", false},
      {"number", "1", "-1", false},
      {"number", "1.5", "15", false},
      {"bool", "\"true\"", "true", true},
      {"bool", "(true)", "true", true},
      {"bool", "true", "false", false},
      {"bool", "null", "false", false},
      {"string", "true", "\"true\"", true},
      {"string", "1e3", "\"1000\"", true},
      {"string", "\"a\"", "\"\\u0061\"", true},
      {"string", "\"$${a}\"", "\"{a}\"", false},
      {"string", "\"a\\n\"", "<<EOT\na\nEOT", true},
      {"string", "<<EOT\na\nEOT", "<<EOT\na\r\nEOT", false},
      {"object({ a = optional(number, 1), b = optional(string) })", "{}", "{ b = null, a = 1.0 }",
       true},
      {"object({ a = optional(number, 1) })", "{}", "{ a = 2 }", false},
      {"object({ a = string })", "{ a = \"x\" }", "{ a = \"x\", b = \"dropped\" }", true},
      {"list(object({ a = optional(list(number), [1]) }))", "[{}]", "[{ a = [1] }]", true},
      {"number", "f( 1,2 )", "f(1, 2)", true},
      {"number", "1+2", "1 + 2 # a sum", true},
      {"number", "1+2", "1 + 3", false},
  };
  for (const ValueRow& each : kRows) {
    auto text = [&](std::string_view value) {
      return fmt::format("variable \"a\" {{\n  type = {}\n  default = {}\n}}\n",
                         each.type.empty() ? "any" : each.type, value);
    };
    EXPECT_EQ(Lines(ChangesBetween(text(each.from), text(each.to))),
              each.same ? "" : "inputs changed read input \"a\"\n")
        << each.type << ": " << each.from << " => " << each.to;
  }
}

TEST(TypeChangeTest, DefaultsInTypesAreComparedByValue) {
  struct ValueRow {
    std::string_view from;
    std::string_view to;
    bool same;
  };
  const std::vector<ValueRow> kRows = {
      {"optional(number, 1.0)", "optional(number, 1)", true},
      {"optional(number, (1))", "optional(number, 1)", true},
      {"optional(map(number), { a = 1, b = 2 })", "optional(map(number), { b = 2, a = 1 })", true},
      {"optional(set(string), [\"a\", \"b\"])", "optional(set(string), [\"b\", \"a\"])", true},
      {"optional(list(string), [\"a\", \"b\"])", "optional(list(string), [\"b\", \"a\"])", false},
      {"optional(string, null)", "optional(string)", true},
      {"optional(string, \"\")", "optional(string)", false},
  };
  for (const ValueRow& each : kRows) {
    auto text = [](std::string_view type) {
      return fmt::format("variable \"a\" {{\n  type = object({{ x = {} }})\n}}\n", type);
    };
    EXPECT_EQ(Lines(ChangesBetween(text(each.from), text(each.to))),
              each.same ? "" : "inputs changed read input \"a\"\n")
        << each.from << " => " << each.to;
  }
}

// Defaults of attributes may be long, and filled in often.
TEST(TypeChangeTest, DefaultsThatFillInMuchAreComparedInBoundedTime) {
  const std::string type = fmt::format(
      "list(object({{ x = optional(object({{}}), {{ y = \"{}\" }}) }}))", std::string(30'000, 'y'));
  std::string items;
  for (int i = 0; i < 10'000; ++i) items += "{},";
  auto text = [&](std::string_view last) {
    return fmt::format("variable \"a\" {{\n  type = {}\n  default = [{}{}]\n}}\n", type, items,
                       last);
  };
  EXPECT_EQ(Lines(ChangesBetween(text("{}"), text("{x={}}"))), "inputs changed read input \"a\"\n");
}

TEST(TypeChangeTest, ShowsWhatDiffersInADefault) {
  auto sentence = [](const std::string& type, const std::string& from, const std::string& to) {
    auto text = [&](const std::string& value) {
      return fmt::format("variable \"a\" {{\n  type = {}\n  default = {}\n}}\n", type, value);
    };
    std::vector<Change> changes = ChangesBetween(text(from), text(to));
    return changes.size() == 1 ? changes.front().sentence : Lines(changes);
  };
  EXPECT_EQ(sentence("any", "1", "2"), "Its default changed from 1 to 2.");
  EXPECT_EQ(sentence("any", "<<EOT\nx\nEOT", "<<EOT\nx\r\nEOT"),
            "Its default changed from \"x\\n\" to \"x\\r\\n\".");
  EXPECT_EQ(sentence("any", "{\n  a = 1\n}", "{\n  a = 2\n}"),
            "Its default changed from {\"a\":1} to {\"a\":2}.");
  EXPECT_EQ(sentence("any", "{\n  a = f(1)\n}", "{\n  a = f(2)\n}"),
            "Its default changed from { a = f(1) } to { a = f(2) }.");
  const std::string kLong(100, 'x');
  EXPECT_EQ(sentence("any", "\"" + kLong + "a\"", "\"" + kLong + "b\""),
            "Its default changed from …xxxxxxxxxxxxxxxxxxxxa\" to …xxxxxxxxxxxxxxxxxxxxb\".");
}

TEST(TypeChangeTest, ATypeThatTheDefaultSaidIsToBeRead) {
  struct DefaultRow {
    std::string_view value;
    std::string_view type;
    std::string_view kind;
  };
  const std::vector<DefaultRow> kRows = {
      {"\"\"", "string", "read"},
      {"\"true\"", "bool", "read"},
      {"\"5\"", "number", "read"},
      {"\"\"", "bool", "breaking"},
      {"true", "bool", "read"},
      {"1", "string", "read"},
      {"1", "bool", "breaking"},
      {"[]", "list(string)", "read"},
      {"[\"a\"]", "set(string)", "read"},
      {"[\"a\"]", "list(number)", "breaking"},
      {"[1]", "tuple([number])", "read"},
      {"[1]", "tuple([number, number])", "breaking"},
      {"{}", "map(string)", "read"},
      {"{}", "object({ a = optional(string) })", "read"},
      {"{}", "object({ a = string })", "breaking"},
      {"{}", "list(string)", "breaking"},
      {"null", "string", "breaking"},
      {"f()", "string", "breaking"},
  };
  for (const DefaultRow& each : kRows) {
    const std::string from = fmt::format("variable \"a\" {{\n  default = {}\n}}\n", each.value);
    const std::string to =
        fmt::format("variable \"a\" {{\n  default = {}\n  type = {}\n}}\n", each.value, each.type);
    EXPECT_EQ(Lines(ChangesBetween(from, to)),
              fmt::format("inputs changed {} input \"a\"\n", each.kind))
        << each.value << " " << each.type;
  }
}

TEST(TypeChangeTest, TellsChangesOfTypesByTheirPath) {
  auto sentences = [](std::string_view from, std::string_view to) {
    auto text = [](std::string_view type) {
      return fmt::format("variable \"a\" {{\n  type = {}\n}}\n", type);
    };
    std::string out;
    for (const Change& each : ChangesBetween(text(from), text(to))) out += each.sentence + "\n";
    return out;
  };
  EXPECT_EQ(sentences("string", "bool"),
            "Its type changed from string to bool: clients convert it, and reject values that "
            "cannot be converted.\n");
  EXPECT_EQ(sentences("list(string)", "set(string)"),
            "Its type changed from list(string) to set(string): clients convert it.\n");
  EXPECT_EQ(sentences("list(object({ id = string, subnet_id = optional(string) }))",
                      "list(object({ id = number }))"),
            "In its type, [*].subnet_id was removed: values from callers are dropped.\nIn its "
            "type, [*].id changed from string to number: clients convert it, and reject values "
            "that cannot be converted.\n");
  EXPECT_EQ(
      sentences("object({ a = optional(string), c = number, d = optional(number, 1) })",
                "object({ a = string, b = string, c = optional(string), e = optional(any), "
                "d = optional(number, 2) })"),
      "In its type, .a is required now.\nIn its type, .b is required now.\nIn its type, .d "
      "has another default: from 1 to 2.\nIn its type, .c is optional now.\nIn its type, .c is "
      "wider: from number to string.\nIn its type, .e is new and optional.\n");
  EXPECT_EQ(sentences("tuple([string, map(bool)])", "tuple([string, map(list(bool))])"),
            "In its type, [1][*] changed from bool to list(bool): values accepted before may be "
            "rejected.\n");
  // Of many the first of each kind, what weighs most before the others.
  std::string many;
  for (int i = 0; i < 30; ++i) many += fmt::format("x{} = string, ", i);
  const std::string lines = sentences("object({ " + many + " })", "object({ y = any })");
  EXPECT_EQ(std::ranges::count(lines, '\n'), 11) << lines;
  EXPECT_NE(lines.find("Its type changed in 21 more places.\n"), std::string::npos) << lines;
}

// Long types and ranges differ where both are cut.

}  // namespace
}  // namespace koya::inspect
