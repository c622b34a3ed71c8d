#include "base/glob.h"

#include "base/text.h"

namespace koya {
namespace {

bool SameLetter(char a, char b) { return a == b; }

bool SameFoldedLetter(char a, char b) { return a == b || EqualsIgnoreCase({&a, 1}, {&b, 1}); }

// Greedy with one step back: a star that was passed takes one character more, and what follows it
// is tried again.
template <class Same>
bool Covers(std::string_view pattern, std::string_view text, Same same) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && same(pattern[p], text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  return Covers(pattern, text, SameFoldedLetter);
}

bool MatchesGlobExactly(std::string_view pattern, std::string_view text) {
  return Covers(pattern, text, SameLetter);
}

}  // namespace koya
