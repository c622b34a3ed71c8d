// Small text helpers that several folders need.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace koya {

// Lowers ASCII letters only: the folding used for uniqueness and look-ups.
std::string AsciiLower(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// The member of `candidates` nearest to `word` by edit distance, or "" when none is plausibly the
// intended one. For "unknown setting …; did you mean …?".
std::string_view NearestWord(std::string_view word, std::span<const std::string_view> candidates);

inline constexpr char32_t kReplacement = 0xFFFD;

struct Utf8Character {
  char32_t code = kReplacement;
  std::size_t bytes = 1;
  bool good = false;  // false: the bytes are not UTF-8 (RFC 3629), and `code` is kReplacement
};
// The character at the start. REQUIRES: `text` is not empty.
Utf8Character FirstCharacter(std::string_view text);

// Whether Unicode has a character of this number: not for halves of surrogate pairs.
bool IsCharacter(char32_t code);
// Appends `code` as UTF-8; kReplacement if it is no character.
void AppendUtf8(char32_t code, std::string& out);

// Whether the byte continues a character, in text that is UTF-8.
constexpr bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}
// The longest prefix of `text` of at most `most` bytes that ends between characters.
std::string_view CutUtf8(std::string_view text, std::size_t most);

bool IsUtf8(std::string_view text);

// Number of code points: all bytes but continuation bytes. Arbitrary for text that is not UTF-8.
std::size_t CountCharacters(std::string_view text);

// Well-formed UTF-8 without control characters other than line ends and tabs: the text allowed in
// descriptions, reasons and searches; every database stores it unchanged.
bool IsPlainText(std::string_view text);

// "a, b and 3 more": the first `most` of them. REQUIRES: `most` > 0.
std::string Listed(std::span<const std::string> names, std::size_t most);

// `text` with control characters and invalid UTF-8 shown as \xNN, cut to `max` bytes: safe to quote
// in a message or a log line.
std::string Printable(std::string_view text, std::size_t max = 200);

}  // namespace koya
