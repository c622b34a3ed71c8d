// A search as parts of a statement, alike on both engines: which words the index is asked for, what
// else must be so of an entry, and how well it matches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/query.h"
#include "catalog/sql/search_beginnings.h"
#include "domain/search_query.h"
#include "domain/use.h"

namespace koya::sql {

// The letters of the places of words: name, title, text (domain/search_document.h).
inline constexpr std::string_view kPlacesOfWords = "ntx";
inline constexpr std::string_view kPlacesOfHeads = "nt";

// A piece of a statement and its parameters, in their turn.
struct SqlPart {
  std::string text;
  std::vector<std::string> parameters;

  void Use(Query& query) const {
    for (const std::string& parameter : parameters) query.Use(parameter);
  }
};

// Which words do. Whole words come out of an index one by one; all that begin with something have
// to be put together first, which takes long for what is frequent.
enum class WordsAsked {
  kWhole,       // the words themselves
  kBeginnings,  // those that begin with them, too, where the search allows it
  kHeadsBegin,  // the same in names and titles; in texts the words themselves
};

// How a search asks the index of words.
struct WordsToAsk {
  WordsAsked asked = WordsAsked::kWhole;
  std::vector<SearchKind> kinds = {};  // one of these; none: of any
  // What has all words in its name comes before the rest.
  bool names_first = false;
  // Only what has all words in its name and title, joined names first.
  bool heads_only = false;
};

// What the index of words is asked for: FTS5's or PostgreSQL's language. `beginnings`: what is
// known to begin with words of it.
std::string MatchedWords(Dialect dialect, const SearchQuery& search, const WordsToAsk& ask,
                         const Beginnings& beginnings);

// The same in turns, of which none finds what one before it does: names that are joined as the
// search is ("aws_vpc"), then, if they are to come first, all names with its words, then the rest.
std::vector<std::string> MatchedInTurn(Dialect dialect, const SearchQuery& search,
                                       const WordsToAsk& ask, const Beginnings& beginnings);

// Whether a search is for one name of several words, "aws_vpc", which the index keeps as a whole.
bool IsJoinedName(const SearchQuery& search);

// "(… AND …)": that words stand side by side, which an index that knows no places cannot say, of
// entries `e`; "" where no term has several. Where the tier is one of kTiersSideBySide, they do.
SqlPart MatchCondition(const SearchQuery& search);

// 0 for a name that is just the words of the search, up to 4 for what matched in its text.
SqlPart MatchTier(const SearchQuery& search);
inline constexpr std::string_view kTiersSideBySide = "2, 3";

// "(…)": that an entry `f` is called by words of the search and nothing else, as "flow-log" is of
// "vpc flow logs", in the singular or plural. `own_words`: the words of its name, with a blank
// before and behind each.
SqlPart IsCalledByWords(const SearchQuery& search, std::string_view own_words);

}  // namespace koya::sql
