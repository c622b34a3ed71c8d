// Normalizes expressions, so that two with the same meaning are equal however they are written.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "hcl/type.h"

namespace koya::inspect {

// The words of an expression without blanks, comments and line ends between them. A text that is
// not an expression is returned unchanged.
std::string ExpressionForm(std::string_view expression);

// Normalizes a default: `text` as written, `json` its value, "" if it is not a literal. A literal
// is converted to `type` as clients do: numbers by value, attributes by name, defaults of
// optional() filled in, sets without order. The result for a literal is JSON, unless it would be
// very long; other defaults become expressions.
std::string DefaultForm(const std::string& text, const std::string& json, const hcl::Type& type);

// True if clients can convert a literal, given as JSON, to `type`. Null gives no information about
// the type: false.
bool FitsType(const std::string& json, const hcl::Type& type);

}  // namespace koya::inspect
