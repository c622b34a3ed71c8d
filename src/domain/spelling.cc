#include "domain/spelling.h"

#include <algorithm>
#include <cstddef>

namespace koya {
namespace {

std::vector<std::string_view> LettersOf(std::string_view word) {
  std::vector<std::string_view> letters;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t end = at + 1;
    while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) ++end;
    letters.push_back(word.substr(at, end - at));
    at = end;
  }
  return letters;
}

}  // namespace

bool IsForgivable(std::string_view word) {
  if (word.size() > 128) return false;
  const std::size_t letters = LettersOf(word).size();
  const bool digits = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  return letters >= 5 && letters <= 32 && !digits;
}

std::vector<std::string> SpellingPieces(std::string_view word) {
  std::vector<std::string> pieces{std::string(word)};
  for (std::string_view letter : LettersOf(word)) {
    const auto at = static_cast<std::size_t>(letter.data() - word.data());
    pieces.push_back(std::string(word.substr(0, at)).append(word.substr(at + letter.size())));
  }
  std::ranges::sort(pieces);
  pieces.erase(std::ranges::unique(pieces).begin(), pieces.end());
  return pieces;
}

bool IsNearlySpelt(std::string_view a, std::string_view b) {
  std::vector<std::string_view> one = LettersOf(a), two = LettersOf(b);
  if (one.size() > two.size()) std::swap(one, two);
  if (two.size() - one.size() > 1) return false;
  const auto [at_one, at_two] = std::ranges::mismatch(one, two);
  const auto at = static_cast<std::size_t>(at_one - one.begin());
  if (at_two == two.end()) return true;
  auto same_after = [&](std::size_t in_one, std::size_t in_two) {
    return std::ranges::equal(one.begin() + static_cast<std::ptrdiff_t>(in_one), one.end(),
                              two.begin() + static_cast<std::ptrdiff_t>(in_two), two.end());
  };
  if (one.size() < two.size()) return same_after(at, at + 1);
  if (same_after(at + 1, at + 1)) return true;
  return at + 1 < one.size() && one[at] == two[at + 1] && one[at + 1] == two[at] &&
         same_after(at + 2, at + 2);
}

}  // namespace koya
