// Converts literal values to JSON. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hcl/hcl.h"

namespace koya::hcl {

// The JSON text of a value that needs no evaluation, on one line; of duplicate names in an object
// the last value counts, at the place of the first. Nothing when any part of it must be evaluated.
std::optional<std::string> LiteralJson(const Value& value);

// `text` in quotes. REQUIRES: UTF-8.
std::string QuotedJson(std::string_view text);

// true or false, as a bool or, as in older configurations, in quotes.
std::optional<bool> LiteralBool(const Value& value);

}  // namespace koya::hcl
