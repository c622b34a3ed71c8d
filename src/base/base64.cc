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

// The bits of up to four characters, in one number; kNotDigits: one of them is no digit.
constexpr std::uint32_t kNotDigits = ~0U;

std::uint32_t BitsOf(std::string_view group, const Digits& digits) {
  std::uint32_t bits = 0;
  std::uint32_t seen = 0;
  for (const char c : group) {
    const std::uint32_t value = digits[static_cast<unsigned char>(c)];
    seen |= value;
    bits = bits << 6 | value;
  }
  return (seen & kNoDigit) == 0 ? bits : kNotDigits;
}

// By groups of four characters, which are three bytes: capability URLs are read on the hot path.
// False: the text is not of this alphabet, or has stray bits. REQUIRES: the last group is of any
// size but one; `out` has room for text.size() * 6 / 8 bytes.
bool DecodeTo(char* out, std::string_view text, const Digits& digits) {
  const auto write = [&out](std::uint32_t bits, std::size_t count) {
    for (std::size_t i = count; i-- > 0; bits >>= 8) out[i] = static_cast<char>(bits & 0xFFU);
    out += count;
  };
  for (; text.size() >= 4; text.remove_prefix(4)) {
    const std::uint32_t bits = BitsOf(text.substr(0, 4), digits);
    if (bits == kNotDigits) return false;
    write(bits, 3);
  }
  const std::uint32_t bits = BitsOf(text, digits);
  const std::size_t stray = text.size() * 6 % 8;  // what padding stands for must be nothing
  if (bits == kNotDigits || (bits & ((1U << stray) - 1)) != 0) return false;
  write(bits >> stray, text.size() * 6 / 8);
  return true;
}

std::optional<std::string> Decode(std::string_view text, const Digits& digits) {
  std::string bytes(text.size() * 6 / 8, '\0');
  if (!DecodeTo(bytes.data(), text, digits)) return std::nullopt;
  return bytes;
}

constexpr auto kPlainDigits = DigitsOf(kAlphabet);

// nullopt: not in whole groups of four.
std::optional<std::string_view> WithoutPadding(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return text.substr(0, text.size() - padding);
}

}  // namespace

std::string Base64Encode(std::span<const std::byte> bytes) {
  std::string out = Encode(bytes, kAlphabet);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  const std::optional<std::string_view> bare = WithoutPadding(text);
  return bare ? Decode(*bare, kPlainDigits) : std::nullopt;
}

std::optional<std::string_view> Base64Decode(std::string_view text, std::span<char> buffer) {
  const std::optional<std::string_view> bare = WithoutPadding(text);
  if (!bare) return std::nullopt;
  const std::size_t size = bare->size() * 6 / 8;
  if (size > buffer.size() || !DecodeTo(buffer.data(), *bare, kPlainDigits)) return std::nullopt;
  return std::string_view(buffer.data(), size);
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
