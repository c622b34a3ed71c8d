// In which steps PostgreSQL's index of words is asked.
//
// It gives all rows that have the words before the first, in no order, and most of the time goes
// into fetching them. What is rare is asked for at once. Of what is frequent the last entries are
// asked for, then more: the index has in which powers of two of all entries one is (dialect.cc).
// How frequent words are is known from what ANALYZE keeps of the index, of its most common words;
// what is not among them is rare. A wrong guess costs time, and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/session.h"

namespace koya::sql {

enum class IndexedVersions { kNewest, kOlder };

// How many of an index's entries have a word.
struct WordShares {
  std::map<std::string, double, std::less<>> of;  // 0 to 1, of common words
  double of_others = 1;                           // at most so many; 1: nothing is known
  double entries = 0;                             // of the index; 0: not known
  std::int64_t last_id = 0;                       // of all entries
};

// Of those words that `text` has, which is a tsquery as MatchedWords writes it. Throws as Query
// does.
WordShares FindWordShares(Session& session, IndexedVersions versions, std::string_view text);

// How many of the entries `text` finds, if words were spread evenly: 0 to 1.
double EstimateShare(std::string_view text, const WordShares& shares);

struct SearchStep {
  std::string words;          // what the index is asked for
  std::int64_t below_id = 0;  // of which entries: so that none is found twice
};

// What the index is asked for in turn, to find the last `wanted` entries that `text` finds:
// together they find all.
std::vector<SearchStep> InSteps(const std::string& text, std::uint64_t wanted, bool of_kinds,
                                const WordShares& shares);

}  // namespace koya::sql
