#include "base/hex.h"

#include <cstdint>

namespace koya {
namespace {

int Nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string HexEncode(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (std::byte b : bytes) {
    out.push_back(kDigits[std::to_integer<unsigned>(b) >> 4]);
    out.push_back(kDigits[std::to_integer<unsigned>(b) & 15]);
  }
  return out;
}

std::optional<std::vector<std::byte>> HexDecode(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    int high = Nibble(text[i]);
    int low = Nibble(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return out;
}

std::string Base64UrlEncode(std::span<const std::byte> bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t window = 0;
  int bits = 0;
  for (std::byte b : bytes) {
    window = (window << 8) | std::to_integer<std::uint32_t>(b);
    for (bits += 8; bits >= 6; bits -= 6) out.push_back(kAlphabet[(window >> (bits - 6)) & 63]);
  }
  if (bits > 0) out.push_back(kAlphabet[(window << (6 - bits)) & 63]);
  return out;
}

}  // namespace koya
