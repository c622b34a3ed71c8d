// An entry in the form of the index: a text of words, each after the letter of its field and a
// colon, separated by blanks. Queries find entries by such words only; engines split at blanks and
// interpret nothing else.
//
// n: a word of the name, t: of the title, x: of the text. Facets: k: kind, s: namespace, u: used
// resource type, p: required provider, c: called module, y: system of a module, h: host of another
// registry, v: version, d: 1 deprecated or 0, e:1 in every entry. Adjacent words in the text are
// adjacent in the source; a "|" marks where that ends.
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
  std::string words;  // head, then the words of the text and the facets
  // Words of the name and title, as candidates for a misspelt word; each once.
  std::vector<std::string> spellings;
};

inline constexpr std::size_t kMostTextWords = 1000;
inline constexpr std::size_t kMostHeadWords = 100;  // of the name, and of the title
inline constexpr std::size_t kMostFacets = 200;     // of each kind
inline constexpr std::size_t kLongestFacet = 160;   // bytes

// Makes the document of `entry`, which belongs to `subject`. The address of a module or provider
// also counts as its entry's name.
SearchDocument MakeSearchDocument(const SearchSubject& subject, const SearchEntry& entry,
                                  bool deprecated);

// "u:aws_vpc". Characters that a word cannot hold become "_", alike in entries and queries.
std::string SearchFacet(char tag, std::string_view value);

}  // namespace koya
