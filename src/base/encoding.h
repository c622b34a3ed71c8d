// Encodes bytes as text: base64, and base64url for paths and queries (RFC 4648); hexadecimal; and
// percent-encoding (RFC 3986 §2.1).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

// Base64 with padding.
std::string Base64Encode(std::span<const std::byte> bytes);

// Strict: whole groups of four, padding at the end alone, no stray bits.
std::optional<std::string> Base64Decode(std::string_view text);
// The same without an allocation: a view into `buffer`. nullopt also when it does not fit.
std::optional<std::string_view> Base64Decode(std::string_view text, std::span<char> buffer);

// Without padding.
std::string Base64UrlEncode(std::span<const std::byte> bytes);

// Strict: without padding, no stray bits, so that every text has one form.
std::optional<std::string> Base64UrlDecode(std::string_view text);

// The value of a hexadecimal digit of either case, or -1.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Lower-case, as digests are written everywhere in the protocols.
std::string HexEncode(std::span<const std::byte> bytes);

// Accepts lower-case digits only, since that is the one form the protocols compare bytewise.
std::optional<std::vector<std::byte>> HexDecode(std::string_view text);

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
