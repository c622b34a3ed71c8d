#include "hcl/type.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::hcl {
namespace {

struct TypeCase {
  std::string_view text;
  std::string_view shown;
};

TEST(TypeTest, ReadsTypes) {
  const std::vector<TypeCase> kCases = {
      {"string", "string"},
      {"number", "number"},
      {"bool", "bool"},
      {"any", "any"},
      {" list ( string ) ", "list(string)"},
      {"list(\n  # of them\n  string\n)", "list(string)"},
      {"set(number)", "set(number)"},
      {"map(any)", "map(any)"},
      {"list", "list(any)"},
      {"map", "map(any)"},
      {"tuple([string, number,])", "tuple([string, number])"},
      {"tuple([])", "tuple([])"},
      {"object({})", "object({})"},
      {"object({ a = string, b = number })", "object({ a = string, b = number })"},
      {"object({\n  a = string # why\n\n  \"b\" : bool,\n})", "object({ a = string, b = bool })"},
      {"object({ a = optional(string) })", "object({ a = optional(string) })"},
      {"object({ a = optional(string, \"x\") })", "object({ a = optional(string, \"x\") })"},
      {"object({ a = optional(map(list(number)), { x = [1] }) })",
       "object({ a = optional(map(list(number)), { x = [1] }) })"},
      {"list(object({ o = optional(object({ p = optional(bool, true) }), {}) }))",
       "list(object({ o = optional(object({ p = optional(bool, true) }), {}) }))"},
  };
  for (const TypeCase& each : kCases) {
    auto type = ParseType(each.text);
    ASSERT_TRUE(type) << each.text << ": " << type.error().message;
    EXPECT_EQ(ToString(*type), each.shown) << each.text;
    auto again = ParseType(each.shown);
    ASSERT_TRUE(again) << each.shown;
    EXPECT_EQ(*again, *type) << each.shown;
  }
}

TEST(TypeTest, KeepsDefaults) {
  auto type = ParseType("object({ a = optional(number, 01.5), b = optional(string, var.x) })");
  ASSERT_TRUE(type) << type.error().message;
  EXPECT_EQ(type->attributes[0].default_text, "01.5");
  EXPECT_EQ(type->attributes[0].default_json, "1.5");
  EXPECT_EQ(type->attributes[1].default_text, "var.x");
  EXPECT_EQ(type->attributes[1].default_json, "");
}

TEST(TypeTest, RefusesWhatIsNoType) {
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "list(";
  const std::vector<std::string> kCases = {"",
                                           "strin",
                                           "\"string\"",
                                           "string)",
                                           "list(",
                                           "list()",
                                           "list(string",
                                           "list(string, string)",
                                           "list string",
                                           "object",
                                           "object()",
                                           "object({",
                                           "object({ a })",
                                           "object({ a = })",
                                           "object({ a = string b = string })",
                                           "object({ a = string, a = number })",
                                           "tuple(string)",
                                           "tuple([string)",
                                           "optional(string)",
                                           "object({ a = optional() })",
                                           "object({ a = optional(string, \"x\", 1) })",
                                           "string number",
                                           "1",
                                           "${string}",
                                           "list(\xFF)",
                                           "map(string}",
                                           deep};
  for (const std::string& each : kCases) {
    auto type = ParseType(each);
    ASSERT_FALSE(type) << each;
    EXPECT_EQ(type.error().kind, ErrorKind::kInvalid) << each;
    EXPECT_TRUE(type.error().message.starts_with("line ")) << type.error().message;
  }
}

}  // namespace
}  // namespace koya::hcl
