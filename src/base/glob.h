// Patterns in which "*" stands for any run of characters, and everything else for itself.
#pragma once

#include <string_view>

namespace koya {

// Whether the pattern covers the whole text. ASCII letter case is ignored. Never exponential.
bool MatchesGlob(std::string_view pattern, std::string_view text);

}  // namespace koya
