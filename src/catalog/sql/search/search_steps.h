// Splits a query of PostgreSQL's index of words into steps.
//
// The index collects all rows that have the words before it returns the first, in no order, and
// most of the time goes into fetching them. Rare words are asked for at once. Of frequent ones the
// last entries are asked for, then more: the index has in which powers of two of all entries one is
// (dialect.cc). How frequent words are is known from the statistics that ANALYZE stores of the
// index, of its most common words; a word that is not among them is rare. A wrong guess costs time,
// and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/engine/session.h"

namespace koya::sql {

enum class IndexedVersions { kNewest, kOlder };

// The shares of an index's entries that have a word.
struct WordShares {
  std::map<std::string, double, std::less<>> of;  // 0 to 1, of common words
  double of_others = 1;                           // at most so many; 1: unknown
  double entries = 0;                             // of the index; 0: unknown
  std::int64_t last_id = 0;                       // of all entries
};

// The shares of those words that `text` has, which is a tsquery as MatchedWords writes it. Throws
// as Query does.
WordShares FindWordShares(Session& session, IndexedVersions versions, std::string_view text);

// The share of entries that `text` finds, if words were spread evenly: 0 to 1.
double EstimateShare(std::string_view text, const WordShares& shares);

struct SearchStep {
  std::string words;          // the query of the index
  std::int64_t below_id = 0;  // only entries below it: so that none is found twice
};

// Queries of the index, in turn, to find the last `wanted` entries that `text` finds: together they
// find all.
std::vector<SearchStep> InSteps(const std::string& text, std::uint64_t wanted, bool of_kinds,
                                const WordShares& shares);

}  // namespace koya::sql
