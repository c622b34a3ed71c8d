// Formats expressions on one line, as `tofu fmt` does. Pure.
//
// Source of the spacing: the clients' formatter (github.com/hashicorp/hcl, hclwrite/format.go).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::hcl {

// `expression` with the formatter's spacing. Fails: kInvalid: not an expression, or it spans
// several lines (heredocs do).
Result<std::string> FormatExpression(std::string_view expression);

// `text` as a quoted string literal of that value, with template markers escaped. REQUIRES: UTF-8.
std::string QuotedText(std::string_view text);

}  // namespace koya::hcl
