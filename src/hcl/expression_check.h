// Checks whether a whole text is an expression of HCL's native syntax, which the parser of files
// only skips. Pure.
//
// Source of the rules: the clients' parser (github.com/hashicorp/hcl, hclsyntax/parser.go).
// Additionally rejects expressions that can have no value: an attribute of a number, and an object
// key "a.b" without brackets.
#pragma once

#include <string_view>

#include "base/result.h"

namespace koya::hcl {

// Fails: kInvalid: not an expression, or nested too deeply. Time is linear in the length times the
// nesting depth of templates, which is limited.
Status CheckExpression(std::string_view text);

}  // namespace koya::hcl
