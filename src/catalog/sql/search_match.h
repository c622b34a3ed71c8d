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

namespace koya::sql {

// The letters of the places of words: name, title, text (domain/search_document.h).
inline constexpr std::string_view kPlacesOfWords = "ntx";

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
  kNames,       // names that begin with JoinedName
};

// What the index of words is asked for: FTS5's or PostgreSQL's language. `kinds`: whether those
// that the query asks for restrict. `beginnings`: what is known to begin with words of it.
std::string MatchedWords(Dialect dialect, const SearchQuery& search, bool kinds, WordsAsked asked,
                         const Beginnings& beginnings);

// Of a search for one name of several words, "aws_vpc", how the index keeps it as a whole; "" of
// all others.
std::string JoinedName(const SearchQuery& search);

// " AND …": what an index that knows no places cannot say, of entries `e`.
SqlPart MatchCondition(const SearchQuery& search);

// 0 for a name that is just the words of the search, up to 4 for what matched in its text.
SqlPart MatchTier(const SearchQuery& search);

}  // namespace koya::sql
