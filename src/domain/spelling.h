// Finds words at distance one: one letter more, less or different, or two neighbours swapped. An
// index finds such words by their pieces: two words at distance one share a piece.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koya {

// True if misspellings of `word` are looked up: UTF-8 of 5 to 32 characters, not all digits.
bool IsForgivable(std::string_view word);

// The word, and its variants without one character: each once, in order.
// REQUIRES: UTF-8.
std::vector<std::string> SpellingPieces(std::string_view word);

// True if they are at most one letter apart. REQUIRES: UTF-8.
bool IsNearlySpelt(std::string_view a, std::string_view b);

}  // namespace koya
