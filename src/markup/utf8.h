// UTF-8 one character at a time, and text of strangers made fit to be shown. Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koya::markup {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Utf8Character {
  char32_t code = kReplacement;
  std::size_t bytes = 1;
  bool good = false;  // false: these bytes are no UTF-8, and `code` is kReplacement
};

// The character at the start. REQUIRES: `text` is not empty.
Utf8Character FirstCharacter(std::string_view text);

// `code` as UTF-8; what is no character of Unicode as kReplacement.
void AppendUtf8(char32_t code, std::string& out);

// Control characters other than tab and newline, and those that turn the direction of what follows
// (U+202A to U+202E, U+2066 to U+2069): with them a text shows as what it is not.
bool IsUnfit(char32_t code);

// `text` without a byte order mark, with each run of unfit characters and of bytes that are no
// UTF-8 as one kReplacement, and with lines that end in "\n". At most 3 times as long.
std::string FitToShow(std::string_view text);

// The longest start of `text` of at most `most` bytes that ends between characters.
std::string_view CutBetweenCharacters(std::string_view text, std::size_t most);

}  // namespace koya::markup
