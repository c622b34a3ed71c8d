#include "base/base64.h"

#include <array>
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

// The value of each character of an alphabet; 64 for those that are not in it.
using Digits = std::array<std::uint8_t, 256>;
constexpr std::uint8_t kNoDigit = 64;

consteval Digits DigitsOf(std::string_view alphabet) {
  Digits digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}

std::optional<std::string> Decode(std::string_view text, const Digits& digits) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t window = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint32_t value = digits[static_cast<unsigned char>(c)];
    if (value == kNoDigit) return std::nullopt;
    window = (window << 6 | value) & 0xFFFFFFU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(window >> bits & 0xFFU);
  }
  // What padding stands for must be nothing.
  if ((window & ((1U << bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace

std::string Base64Encode(std::span<const std::byte> bytes) {
  std::string out = Encode(bytes, kAlphabet);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  static constexpr auto kDigits = DigitsOf(kAlphabet);
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return Decode(text.substr(0, text.size() - padding), kDigits);
}

std::string Base64UrlEncode(std::span<const std::byte> bytes) {
  return Encode(bytes, kUrlAlphabet);
}

std::optional<std::string> Base64UrlDecode(std::string_view text) {
  static constexpr auto kDigits = DigitsOf(kUrlAlphabet);
  if (text.size() % 4 == 1) return std::nullopt;  // six bits are no byte
  return Decode(text, kDigits);
}

}  // namespace koya
