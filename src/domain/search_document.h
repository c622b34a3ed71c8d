// An entry as the index keeps it: a text of words, each after the letter of its place and a colon,
// with blanks between them. What a query asks for is found by such words alone; engines cut at
// blanks and know nothing more.
//
// n: a word of the name, t: of the title, x: of the text. Facets: k: kind, s: namespace, u: used,
// p: provider that is needed, c: module that is called, y: system of a module, h: host of another
// registry, v: version, d: 1 deprecated or 0, e:1 in every entry. Words side by side in the text
// are so in the source; where that ends stands a "|".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

struct SearchEntry;
struct SearchSubject;

struct SearchDocument {
  std::string head;   // " n:vpc … | t:private t:subnets … "
  std::string words;  // head, and what the text and the facets give
  // Of the name and title, which may be what a misspelt word meant; each once.
  std::vector<std::string> spellings;
};

inline constexpr std::size_t kMostTextWords = 1000;
inline constexpr std::size_t kMostHeadWords = 100;  // of the name, and of the title
inline constexpr std::size_t kMostFacets = 200;     // of each sort
inline constexpr std::size_t kLongestFacet = 160;   // bytes

// `entry`, of `subject`. The address of a module or provider counts as its entry's name, too.
SearchDocument MakeSearchDocument(const SearchSubject& subject, const SearchEntry& entry,
                                  bool deprecated);

// "u:aws_vpc". What no word may hold becomes "_", alike in entries and queries.
std::string SearchFacet(char tag, std::string_view value);

}  // namespace koya
