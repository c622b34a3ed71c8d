// Parses a decimal number that fills a whole text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace koya {

// Digits only, with a "-" before them if `Number` is signed; leading zeros are allowed. nullopt:
// something else, or more than `Number` holds.
template <class Number>
std::optional<Number> ParseDecimal(std::string_view text) {
  Number number{};
  const char* stop = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), stop, number);
  return error == std::errc() && end == stop ? std::optional(number) : std::nullopt;
}

}  // namespace koya
