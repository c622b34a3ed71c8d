// Patterns in which "*" stands for any run of characters, and everything else for itself.
#pragma once

#include <string_view>

namespace koya {

// Whether the pattern covers the whole text. ASCII letter case is ignored. Never exponential.
//
// The text may be a pattern itself: then whether everything that it covers is covered. A "*" of the
// text is only matched by one of the pattern's, since no other character of a pattern stands for
// it.
bool MatchesGlob(std::string_view pattern, std::string_view text);

// The same, but letter case counts.
bool MatchesGlobExactly(std::string_view pattern, std::string_view text);

}  // namespace koya
