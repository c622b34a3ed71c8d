#include "base/base64.h"

#include <cstdint>

namespace koya {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string Encode(std::span<const std::byte> bytes, std::string_view alphabet) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t window = 0;
  int bits = 0;
  for (std::byte b : bytes) {
    window = (window << 8) | std::to_integer<std::uint32_t>(b);
    for (bits += 8; bits >= 6; bits -= 6) out.push_back(alphabet[(window >> (bits - 6)) & 63]);
  }
  if (bits > 0) out.push_back(alphabet[(window << (6 - bits)) & 63]);
  return out;
}

}  // namespace

std::string Base64Encode(std::span<const std::byte> bytes) {
  std::string out = Encode(bytes, kAlphabet);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t window = 0;
  int bits = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    window = (window << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFFU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(window >> bits & 0xFFU);
  }
  // What padding stands for must be nothing.
  if ((window & ((1U << bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

std::string Base64UrlEncode(std::span<const std::byte> bytes) {
  return Encode(bytes, kUrlAlphabet);
}

}  // namespace koya
