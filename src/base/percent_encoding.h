// Percent-encoding, as RFC 3986 §2.1 has it.
#pragma once

#include <string>
#include <string_view>

namespace koya {

// RFC 3986 §2.3: what means itself everywhere in a URL.
constexpr bool IsUnreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// `text` fit to stand as one segment of a path or as a query value: everything but unreserved
// characters is encoded, with upper-case digits.
std::string PercentEncode(std::string_view text);

// What PercentEncode made it of; a "%" that begins no such code means itself.
std::string PercentDecode(std::string_view text);

}  // namespace koya
