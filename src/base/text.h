// Small questions about text that several folders ask.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace koya {

// ASCII only: what uniqueness and look-ups fold.
std::string AsciiLower(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// The member of `candidates` nearest to `word` by edit distance, or "" when none is near enough to
// be what was meant. For "unknown setting …; did you mean …?".
std::string_view NearestWord(std::string_view word, std::span<const std::string_view> candidates);

bool IsUtf8(std::string_view text);

// Code points: all bytes but those that continue one. Of text that is not UTF-8, some number.
std::size_t CountCharacters(std::string_view text);

// Well-formed UTF-8 without control characters, lines and tabs excepted: what people may write into
// descriptions, reasons and searches, and every database keeps as it is.
bool IsPlainText(std::string_view text);

// "a, b and 3 more": the first `most` of them. REQUIRES: `most` > 0.
std::string Listed(std::span<const std::string> names, std::size_t most);

// `text` with control characters and bytes that are not UTF-8 shown as \xNN, cut to `max` bytes:
// fit to be quoted in a message or a log line.
std::string Printable(std::string_view text, std::size_t max = 200);

}  // namespace koya
