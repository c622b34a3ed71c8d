// Matches patterns in which "*" stands for any run of characters, and everything else for itself.
#pragma once

#include <string_view>

namespace koya {

// Whether the pattern covers the whole text. ASCII letter case is ignored. Never exponential.
//
// The text may itself be a pattern: then whether everything that it covers is covered. A "*" in the
// text is matched only by a "*" of the pattern, since no other character of a pattern stands for
// it.
bool MatchesGlob(std::string_view pattern, std::string_view text);

// The same, but letter case counts.
bool MatchesGlobExactly(std::string_view pattern, std::string_view text);

}  // namespace koya
