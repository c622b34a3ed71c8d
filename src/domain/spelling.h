// A word that is one letter away from another: one letter more, less, another, or two neighbours
// the wrong way round. An index finds such words by their pieces: two of them share one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koya {

// Whether a misspelling of `word` is looked for: UTF-8 of 5 to 32 characters, not all digits.
bool IsForgivable(std::string_view word);

// The word, and what is left of it without one character: each once, in order.
// REQUIRES: UTF-8.
std::vector<std::string> SpellingPieces(std::string_view word);

// Whether they are at most one letter apart. REQUIRES: UTF-8.
bool IsNearlySpelt(std::string_view a, std::string_view b);

}  // namespace koya
