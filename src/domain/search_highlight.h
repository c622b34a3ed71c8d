// Finds the parts of a text that match a search, for highlighting.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/search_record.h"

namespace koya {

class SearchQuery;
struct SearchTerm;

// Positions of the terms in `text`: sorted, without overlaps, on character boundaries.
std::vector<TextRange> FindMatches(std::string_view text, std::span<const SearchTerm> terms);

struct Snippet {
  std::string text;
  std::vector<TextRange> marks;
};
inline constexpr std::size_t kLongestSnippet = 240;  // bytes

// A part of `text` around its first match, or its beginning. Cut at blanks where there are some
// nearby; cuts are not marked.
Snippet MakeSnippet(std::string_view text, std::span<const TextRange> matches);

// Fills in the field, snippet and marks of `hit`, whose name and title are already set.
void MarkHit(SearchHit* hit, std::string_view text, std::span<const SearchTerm> terms);

// SearchHit::why of a hit that is marked.
std::string_view WhyFound(const SearchHit& hit, const SearchQuery& query);

}  // namespace koya
