// Translates a search into parts of a statement, alike on both engines: which words to ask the
// index for, which other conditions an entry must meet, and how well it matches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/search/prefix_expansion.h"
#include "domain/search_query.h"
#include "domain/use.h"

namespace koya::sql {

// The letters of the places of words: name, title, text (domain/search_document.h).
inline constexpr std::string_view kPlacesOfWords = "ntx";
inline constexpr std::string_view kPlacesOfHeads = "nt";

// A part of a statement with its parameters, in order.
struct SqlPart {
  std::string text;
  std::vector<std::string> parameters;

  void Use(Query& query) const {
    for (const std::string& parameter : parameters) query.Use(parameter);
  }
};

// Which words match. An index yields whole words one by one; all words with a prefix must be
// collected first, which takes long for frequent ones.
enum class MatchMode {
  kWhole,       // the words themselves
  kBeginnings,  // also words that begin with them, where the search allows it
  kHeadsBegin,  // likewise in names and titles; in texts the words themselves
};

// How a search asks the index of words.
struct MatchQuery {
  MatchMode asked = MatchMode::kWhole;
  std::vector<SearchKind> kinds = {};  // one of these; none: any
  // Entries with all words in their names come before the rest.
  bool names_first = false;
  // Only entries with all words in their names and titles, joined names first.
  bool heads_only = false;
};

// The query of the index of words, in the language of FTS5 or PostgreSQL. `beginnings`: known
// expansions of prefixes in it.
std::string MatchedWords(Dialect dialect, const SearchQuery& search, const MatchQuery& ask,
                         const PrefixExpansions& beginnings);

// Likewise in turns, none of which finds an entry of one before it: names that are joined as the
// search is ("aws_vpc"), then, if they are to come first, all names with its words, then the rest.
std::vector<std::string> MatchedInTurn(Dialect dialect, const SearchQuery& search,
                                       const MatchQuery& ask, const PrefixExpansions& beginnings);

// Whether a search is for one name of several words, "aws_vpc", which the index stores as a whole.
bool IsJoinedName(const SearchQuery& search);

// "(… AND …)": condition on entries `e` that words stand side by side, which an index without
// positions cannot check; "" where no term has several. Entries in one of kTiersSideBySide meet it.
SqlPart MatchCondition(const SearchQuery& search);

// 0 for a name that equals the words of the search, up to 4 for a match in the text.
SqlPart MatchTier(const SearchQuery& search);
inline constexpr std::string_view kTiersSideBySide = "2, 3";

// "(…)": condition that an entry `f` has a name that consists of words of the search only, as
// "flow-log" does for "vpc flow logs", in the singular or plural. `own_words`: the words of its
// name, with a blank before and after each.
SqlPart IsCalledByWords(const SearchQuery& search, std::string_view own_words);

}  // namespace koya::sql
