// The character classes of RFC 9110 §5.6, as tables: they are looked up once for each byte
// received.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace koya::http {

using CharacterClass = std::array<bool, 256>;

constexpr CharacterClass MakeTokenCharacters() {
  CharacterClass table{};
  for (char c : std::string_view("!#$%&'*+-.^_`|~0123456789"
                                 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}
// Characters of a field value: visible characters, space, tab and bytes beyond ASCII.
constexpr CharacterClass MakeValueCharacters() {
  CharacterClass table{};
  for (unsigned c = 0; c < 256; ++c) table[c] = c == '\t' || (c >= 0x20 && c != 0x7f);
  return table;
}
// Characters of a host with its port (RFC 3986 §3.2): no user, no path.
constexpr CharacterClass MakeHostCharacters() {
  CharacterClass table{};
  for (unsigned c = 0x21; c < 0x7f; ++c) table[c] = true;
  for (char c : std::string_view("/?#@\\<>\"{}|^`")) table[static_cast<unsigned char>(c)] = false;
  return table;
}
constexpr CharacterClass kTokenCharacters = MakeTokenCharacters();
constexpr CharacterClass kValueCharacters = MakeValueCharacters();

constexpr CharacterClass kHostCharacters = MakeHostCharacters();

constexpr bool IsToken(char c) { return kTokenCharacters[static_cast<unsigned char>(c)]; }
constexpr bool IsValue(char c) { return kValueCharacters[static_cast<unsigned char>(c)]; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The number of characters at the start of `text` that are in the class.
constexpr std::size_t SizeWithin(const CharacterClass& characters, std::string_view text) {
  auto is = [&](std::size_t i) -> unsigned {
    return characters[static_cast<unsigned char>(text[i])] ? 1 : 0;
  };
  std::size_t at = 0;
  // Four at a time, which is half the work.
  while (at + 4 <= text.size() && (is(at) & is(at + 1) & is(at + 2) & is(at + 3)) != 0) at += 4;
  while (at < text.size() && is(at) != 0) ++at;
  return at;
}
constexpr std::size_t TokenSize(std::string_view text) {
  return SizeWithin(kTokenCharacters, text);
}

// The eight bytes at `at`, read as one word, because every received byte is checked.
inline std::uint64_t WordAt(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}
// Sets the top bit of each byte of `word` that is below `floor` (at most 128) or DEL; may also set
// it for bytes above the first such byte.
constexpr std::uint64_t ControlsBelow(std::uint64_t word, unsigned char floor) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = 0x8080808080808080;
  std::uint64_t below = word - kOnes * floor;
  std::uint64_t deleted = (word ^ (kOnes * 0x7f)) - kOnes;
  return (below | deleted) & ~word & kTops;
}
constexpr bool IsControlBelow(char c, unsigned char floor) {
  return static_cast<unsigned char>(c) < floor || c == 0x7f;
}

// Whether any of the sixteen bytes at `at` is, by the processor's vectors.
using Bytes16 = unsigned char __attribute__((vector_size(16)));
inline bool HasControlBelow16(const char* at, unsigned char floor) {
  Bytes16 bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  const auto found = (bytes < floor) | (bytes == 0x7f);
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(found);
  return (halves[0] | halves[1]) != 0;
}

// The index of the first byte of `text` that is below `floor` (at most 128) or DEL; its size if
// none.
inline std::size_t FindControlBelow(std::string_view text, unsigned char floor) {
  static_assert(std::endian::native == std::endian::little);
  std::size_t at = 0;
  while (at + sizeof(Bytes16) <= text.size() && !HasControlBelow16(text.data() + at, floor)) {
    at += sizeof(Bytes16);
  }
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t found = ControlsBelow(WordAt(text.data() + at), floor);
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
  }
  while (at < text.size() && !IsControlBelow(text[at], floor)) ++at;
  return at;
}
inline bool HasControlBelow(std::string_view text, unsigned char floor) {
  return FindControlBelow(text, floor) != text.size();
}

// True if `text` is a valid field value.
inline bool IsFieldValue(std::string_view text) {
  if (!HasControlBelow(text, ' ')) return true;
  for (char c : text) {
    if (!IsValue(c)) return false;  // tabs are rare, and allowed
  }
  return true;
}

constexpr std::string_view TrimSpace(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Removes and returns the first element of a comma-separated list. Ignores the quotes of strings.
constexpr std::string_view NextElement(std::string_view& list) {
  std::size_t comma = list.find(',');
  std::string_view element = TrimSpace(list.substr(0, comma));
  list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  return element;
}

// Compares ASCII letters without case. `lower` must be in lower case; neither may hold control
// characters, which the lower-case bit would turn into others.
constexpr bool IsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = lower[i] >= 'a' ? static_cast<char>(text[i] | 0x20) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

}  // namespace koya::http
