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
