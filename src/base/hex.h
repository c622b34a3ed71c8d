// Lower-case hexadecimal, as digests are written everywhere in the protocols.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

// The value of a hexadecimal digit of either case, or -1.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string HexEncode(std::span<const std::byte> bytes);

// Accepts lower-case digits only, since that is the one form the protocols compare bytewise.
std::optional<std::vector<std::byte>> HexDecode(std::string_view text);

}  // namespace koya
