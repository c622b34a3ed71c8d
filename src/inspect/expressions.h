// Values of attributes, as contents keep them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hcl/hcl.h"
#include "inspect/contents.h"

namespace koya::inspect {

// Longer expressions and defaults are cut there, and end in "…".
inline constexpr std::size_t kMaxExpression = 64 << 10;

// What a literal string says; anything else as it is written, without blanks at the ends of lines.
std::string TextOf(const hcl::Value& value);
std::string TextOf(const hcl::Body& body, std::string_view name);  // "" when there is none

// As it is written: a string in its quotes.
std::string SourceOf(const hcl::Value& value);

// An expression, which the JSON syntax has in a string: "${var.x}" becomes var.x, a string without
// templates what it says.
std::string ExpressionOf(const hcl::Value& value);
std::string ExpressionOf(const hcl::Body& body, std::string_view name);

// A literal true; `otherwise` when there is no literal.
bool FlagOf(const hcl::Body& body, std::string_view name, bool otherwise);

// What is mentioned in it.
std::vector<std::string> ReferencesOf(const hcl::Value& value);

// The blocks of that type, as conditions.
std::vector<Condition> ConditionsOf(const hcl::Body& body, std::string_view type);

Repetition RepetitionOf(const hcl::Body& body);

// Expressions of a list: its items, or the whole when it is none.
std::vector<std::string> ItemsOf(const hcl::Body& body, std::string_view name);

}  // namespace koya::inspect
