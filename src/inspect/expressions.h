// Reads values of attributes in the form that contents keep. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hcl/hcl.h"
#include "inspect/contents.h"

namespace koya::inspect {

// The maximum length of expressions and defaults; longer ones are cut and end with "…".
inline constexpr std::size_t kMaxExpression = 64 << 10;

// The value of a literal string; anything else as written, without blanks at the ends of lines.
std::string TextOf(const hcl::Value& value);
std::string TextOf(const hcl::Body& body, std::string_view name);  // "" if there is none

// The source text: a string with its quotes.
std::string SourceOf(const hcl::Value& value);

// An expression, which the JSON syntax has in a string: "${var.x}" becomes var.x; a string without
// templates becomes its text.
std::string ExpressionOf(const hcl::Value& value);
std::string ExpressionOf(const hcl::Body& body, std::string_view name);

// A boolean literal; `otherwise` for anything else.
bool FlagOf(const hcl::Body& body, std::string_view name, bool otherwise);

// The names that the value refers to.
std::vector<std::string> ReferencesOf(const hcl::Value& value);

// The blocks of type `type`, as conditions.
std::vector<Condition> ConditionsOf(const hcl::Body& body, std::string_view type);

Repetition RepetitionOf(const hcl::Body& body);

// The expressions of a list: its items, or the whole value if it is no list.
std::vector<std::string> ItemsOf(const hcl::Body& body, std::string_view name);

}  // namespace koya::inspect
