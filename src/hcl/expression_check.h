// Whether a text is an expression of HCL's native syntax, all of it: what the parser of files only
// passes over. Pure.
//
// Source of the rules: the clients' parser (github.com/hashicorp/hcl, hclsyntax/parser.go). Refused
// beyond them are what no value can come of: an attribute of a number, and a key "a.b" of an object
// without brackets.
#pragma once

#include <string_view>

#include "base/result.h"

namespace koya::hcl {

// Fails: kInvalid: it is none, or is nested too deeply. Time is linear in the length times the
// depth of templates in one another, which is bounded.
Status CheckExpression(std::string_view text);

}  // namespace koya::hcl
