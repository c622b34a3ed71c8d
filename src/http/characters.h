// The character classes of RFC 9110 §5.6, as tables: they are asked once per byte received.
#pragma once

#include <array>
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
constexpr CharacterClass kTokenCharacters = MakeTokenCharacters();
constexpr CharacterClass kValueCharacters = MakeValueCharacters();

constexpr bool IsToken(char c) { return kTokenCharacters[static_cast<unsigned char>(c)]; }
constexpr bool IsValue(char c) { return kValueCharacters[static_cast<unsigned char>(c)]; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The value of a hexadecimal digit, or -1.
constexpr int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
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

// ASCII letters compared without case; `lower` is given in lower case.
constexpr bool IsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    if (c != lower[i]) return false;
  }
  return true;
}

}  // namespace koya::http
