// Expressions in one form, so that two which mean the same are alike however they are written.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "hcl/type.h"

namespace koya::inspect {

// The words of an expression without what stands between them: blanks, comments, line ends. What is
// no expression is given as it is.
std::string ExpressionForm(std::string_view expression);

// A default: `text` as written, `json` what it means, "" where it is no literal. A literal is
// converted to `type` as clients do: numbers by their value, attributes by name, what optional()
// gives filled in, sets without order. The form of a literal is JSON, unless it were very long;
// other defaults are expressions.
std::string DefaultForm(const std::string& text, const std::string& json, const hcl::Type& type);

// Whether clients can convert a literal to `type`, given as JSON. Null says nothing of a type:
// false.
bool FitsType(const std::string& json, const hcl::Type& type);

}  // namespace koya::inspect
