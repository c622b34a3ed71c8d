// The character classes of RFC 9110 §5.6, as tables: they are asked once per byte received.
#pragma once

#include <array>
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
// What a field value may hold: visible characters, space, tab and bytes beyond ASCII.
constexpr CharacterClass MakeValueCharacters() {
  CharacterClass table{};
  for (unsigned c = 0; c < 256; ++c) table[c] = c == '\t' || (c >= 0x20 && c != 0x7f);
  return table;
}
// What a host with its port may hold (RFC 3986 §3.2): no user, no path.
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
constexpr bool IsHostCharacter(char c) { return kHostCharacters[static_cast<unsigned char>(c)]; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// How many characters at the start of `text` are of a token.
constexpr std::size_t TokenSize(std::string_view text) {
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end && IsToken(*at)) ++at;
  return static_cast<std::size_t>(at - text.data());
}

// Whether some byte of `text` is below `floor` (at most 128) or DEL. Looks at eight bytes at a
// time: every byte received is asked this.
inline bool HasControlBelow(std::string_view text, unsigned char floor) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = 0x8080808080808080;
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    // A byte's top bit is left set where the byte is below the floor, or was DEL.
    std::uint64_t below = (word - kOnes * floor) & ~word & kTops;
    std::uint64_t folded = word ^ (kOnes * 0x7f);
    std::uint64_t deleted = (folded - kOnes) & ~folded & kTops;
    if ((below | deleted) != 0) return true;
    text.remove_prefix(sizeof word);
  }
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < floor || byte == 0x7f) return true;
  }
  return false;
}

// Whether `text` may be the value of a field.
inline bool IsFieldValue(std::string_view text) {
  if (!HasControlBelow(text, ' ')) return true;
  for (char c : text) {
    if (!IsValue(c)) return false;  // tabs are few, and allowed
  }
  return true;
}

constexpr std::string_view TrimSpace(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes the first element off a comma-separated list. Quoted strings are not looked into.
constexpr std::string_view NextElement(std::string_view& list) {
  std::size_t comma = list.find(',');
  std::string_view element = TrimSpace(list.substr(0, comma));
  list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  return element;
}

// Compares ASCII letters without case. `lower` is given in lower case; neither holds control
// characters, which setting the bit of lower case would turn into others.
constexpr bool IsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = lower[i] >= 'a' ? static_cast<char>(text[i] | 0x20) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

}  // namespace koya::http
