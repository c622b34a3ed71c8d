// Small text helpers that several folders need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
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

// A hash for tables in memory. Clients choose most keys: without the `seed` they cannot choose
// texts that collide. Inline, since warm requests look several things up.
inline std::uint64_t HashText(std::string_view text, std::uint64_t seed) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  auto word = [](const char* at) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  using Wide = unsigned __int128;
  // Both halves of a product, so that each bit of both factors reaches most bits of the result.
  auto mix = [](std::uint64_t a, std::uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  };
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = seed * kOdd;
  for (; left > 2 * kWord; at += 2 * kWord, left -= 2 * kWord) {
    hash = mix(word(at) ^ seed, word(at + kWord) ^ hash);
  }
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (left >= kWord) {
    first = word(at);
    last = word(at + left - kWord);  // overlaps the first where there are fewer than 16
  } else {
    for (std::size_t i = 0; i < left; ++i) first = first << 8U | static_cast<unsigned char>(at[i]);
  }
  const Wide product = static_cast<Wide>(first ^ seed) * (last ^ hash);
  return mix(static_cast<std::uint64_t>(product) ^ seed ^ text.size(),
             static_cast<std::uint64_t>(product >> 64U) ^ kOdd);
}
// A seed for it, drawn at random: numbers that people choose make it collide.
std::uint64_t RandomHashSeed();

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

// Whether the pattern, in which "*" stands for any run of characters and everything else for
// itself, covers the whole text. ASCII letter case is ignored. Never exponential.
//
// The text may itself be a pattern: then whether everything that it covers is covered. A "*" in the
// text is matched only by a "*" of the pattern, since no other character of a pattern stands for
// it.
bool MatchesGlob(std::string_view pattern, std::string_view text);

// The same, but letter case counts.
bool MatchesGlobExactly(std::string_view pattern, std::string_view text);

}  // namespace koya
