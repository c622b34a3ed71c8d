#include "base/encoding.h"

#include <array>
#include <charconv>
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

// The bits of each character of an alphabet at each of the four places of a group; kNoDigit for
// those that are not in it, so that a group needs no shift and one check.
using Digits = std::array<std::array<std::uint32_t, 256>, 4>;
constexpr std::uint32_t kNoDigit = 1U << 31;

consteval Digits DigitsOf(std::string_view alphabet) {
  Digits digits{};
  for (std::size_t place = 0; place < digits.size(); ++place) {
    digits[place].fill(kNoDigit);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
      digits[place][static_cast<unsigned char>(alphabet[i])] =
          static_cast<std::uint32_t>(i << (6 * (digits.size() - 1 - place)));
    }
  }
  return digits;
}

// By groups of four characters, which are three bytes: capability URLs and Basic credentials are
// read on the hot path. False: the text is not of this alphabet, or has stray bits. REQUIRES: the
// last group is of any size but one; `out` has room for text.size() * 6 / 8 bytes.
bool DecodeTo(char* out, std::string_view text, const Digits& digits) {
  const auto bits_of = [&digits](char c, std::size_t place) {
    return digits[place][static_cast<unsigned char>(c)];
  };
  std::uint32_t seen = 0;
  const char* c = text.data();
  for (const char* const end = c + text.size() / 4 * 4; c != end; c += 4, out += 3) {
    const std::uint32_t bits =
        bits_of(c[0], 0) | bits_of(c[1], 1) | bits_of(c[2], 2) | bits_of(c[3], 3);
    seen |= bits;
    out[0] = static_cast<char>(bits >> 16 & 0xFFU);
    out[1] = static_cast<char>(bits >> 8 & 0xFFU);
    out[2] = static_cast<char>(bits & 0xFFU);
  }
  std::uint32_t last = 0;
  const std::size_t rest = text.size() % 4;
  for (std::size_t place = 0; place < rest; ++place) last |= bits_of(c[place], place);
  seen |= last;
  const std::size_t bytes = rest * 6 / 8;
  for (std::size_t byte = 0; byte < bytes; ++byte, last <<= 8) {
    out[byte] = static_cast<char>(last >> 16 & 0xFFU);
  }
  // What padding stands for must be nothing.
  return (seen & kNoDigit) == 0 && (last & 0xFFFFFFU) == 0;
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

namespace {

// Lower case only.
int Nibble(char c) { return c >= 'A' && c <= 'F' ? -1 : HexDigit(c); }

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

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    if (IsUnreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return out;
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const std::string_view digits = text.substr(i).substr(1, 2);
    const bool code = text[i] == '%' && digits.size() == 2;
    const char* end = digits.data() + digits.size();
    if (code && std::from_chars(digits.data(), end, byte, 16).ptr == end) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace koya
