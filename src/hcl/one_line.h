// Expressions in one line, as `tofu fmt` writes them. Pure.
//
// Source of the spacing: the clients' formatter (github.com/hashicorp/hcl, hclwrite/format.go).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::hcl {

// `expression` with the blanks between its words that the formatter puts there. Fails: kInvalid: it
// is no expression, or goes on over lines (heredocs do).
Result<std::string> FormatExpression(std::string_view expression);

// `text` as a string that means exactly that: in quotes, with what would begin a template escaped.
// REQUIRES: UTF-8.
std::string QuotedText(std::string_view text);

}  // namespace koya::hcl
