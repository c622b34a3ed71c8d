// Decodes UTF-8 one character at a time, and makes untrusted text safe to show. Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koya::markup {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Utf8Character {
  char32_t code = kReplacement;
  std::size_t bytes = 1;
  bool good = false;  // false: the bytes are not UTF-8, and `code` is kReplacement
};

// The character at the start. REQUIRES: `text` is not empty.
Utf8Character FirstCharacter(std::string_view text);

// Appends `code` as UTF-8; kReplacement if it is not a Unicode character.
void AppendUtf8(char32_t code, std::string& out);

// Control characters other than tab and newline, and those that change the direction of the
// following text (U+202A to U+202E, U+2066 to U+2069), which can disguise a text.
bool IsUnfit(char32_t code);

// `text` without a byte order mark, with each run of unfit characters and invalid UTF-8 replaced by
// one kReplacement, and with "\n" line ends. At most 3 times as long.
std::string FitToShow(std::string_view text);

// The longest prefix of `text` of at most `most` bytes that ends between characters.
std::string_view CutBetweenCharacters(std::string_view text, std::size_t most);

}  // namespace koya::markup
