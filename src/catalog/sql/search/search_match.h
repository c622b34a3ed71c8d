// Translates a search into parts of a statement, alike on both engines: which words to ask the
// index for, which other conditions an entry must meet, and how well it matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/session.h"
#include "domain/search_query.h"
#include "domain/use.h"

namespace koya::sql {

// Expands a prefix to the words that an index has with it.
//
// Both engines' indexes find the last rows of a single word without its other rows. For all words
// with a prefix they collect all rows first, which takes 40 ms where words are frequent, except for
// prefixes of the lengths that FTS5 has an index of. Asking for the words by name avoids that: few
// words have a prefix of six letters or more in common, and not many one of three.
//
// By prefix, with the letter of its place ("n:network"): the words that have it, the prefix itself
// first, whether or not it is a word. A joined word ("network_acl") is left out when its first part
// is listed: entries with the one have the other. A prefix without a key is unknown, and must be
// asked for as a prefix.
using PrefixExpansions = std::map<std::string, std::vector<std::string>>;

inline constexpr std::size_t kMostWordsThatBegin = 32;  // with more, it is unknown
inline constexpr std::size_t kMostOnPostgres = 20;      // more take longer than the prefix does
// Letters of a prefix that the index of words already has rows of (dialect.cc).
inline constexpr std::size_t kLongestIndexedBeginning = 5;

// Expands all terms of the search that may be prefixes: in the index of newest versions, on
// PostgreSQL in the table of words of all versions. Throws as Query does.
PrefixExpansions FindBeginnings(Session& session, const SearchQuery& search);

// Adds those of an entry's words (domain/search_document.h) to `noted` that PostgreSQL stores for
// it.
void NoteWordsThatBegin(std::string_view words, std::set<std::string>* noted);

// Whether at least `most` entries of newest versions may have the words (MatchedWords), or at least
// `most_older` of others (0: they are not asked for): only false is certain, since permissions are
// not checked. Reads only the index of words.
bool MayHaveWords(Session& session, const std::string& words, std::uint64_t most,
                  std::uint64_t most_older);

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
