// Parses the query of a request's target, for the wider module API.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::api {

// Decodes "%XX" and "+" (application/x-www-form-urlencoded); nullopt: a "%" without two hexadecimal
// digits after it. Leaves no copy of a secret behind while the result grows.
std::optional<std::string> DecodeUrlEncoded(std::string_view text);

// The decoded value of the first parameter called `name`, "+" read as a space; nullopt when it is
// absent. Fails: kInvalid (broken percent-encoding, not plain text, or over 1,000 bytes).
Result<std::optional<std::string>> QueryParameter(std::string_view query, std::string_view name);

// A whole number parameter; `fallback` when absent. Fails: kInvalid.
Result<std::uint64_t> QueryNumber(std::string_view query, std::string_view name,
                                  std::uint64_t fallback);

}  // namespace koya::api
