// Encodes bytes as text (RFC 4648): base64, and base64url for paths and queries.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace koya {

// With padding.
std::string Base64Encode(std::span<const std::byte> bytes);

// Strict: whole groups of four, padding at the end alone, no stray bits.
std::optional<std::string> Base64Decode(std::string_view text);
// The same without an allocation: a view into `buffer`. nullopt also when it does not fit.
std::optional<std::string_view> Base64Decode(std::string_view text, std::span<char> buffer);

// Without padding.
std::string Base64UrlEncode(std::span<const std::byte> bytes);

// Strict: without padding, no stray bits, so that every text has one form.
std::optional<std::string> Base64UrlDecode(std::string_view text);

}  // namespace koya
