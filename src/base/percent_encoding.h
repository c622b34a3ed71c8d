// Percent-encoding (RFC 3986 §2.1).
#pragma once

#include <string>
#include <string_view>

namespace koya {

// RFC 3986 §2.3: the characters that never need encoding.
constexpr bool IsUnreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// Encodes `text` for use as one path segment or as a query value: everything but unreserved
// characters, with upper-case digits.
std::string PercentEncode(std::string_view text);

// Reverses PercentEncode; a "%" that does not begin a valid code stands for itself.
std::string PercentDecode(std::string_view text);

}  // namespace koya
