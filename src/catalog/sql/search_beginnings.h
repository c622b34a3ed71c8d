// What words begin with a word, as an index has them.
//
// Both engines' indexes find the last rows of a word without its other rows. Of all words that
// begin with one they put all rows together first, which takes 40 ms where words are frequent, but
// for beginnings of the lengths that FTS5 has an index of. Asked for the words by name they need
// not: few begin with one of six letters or more, and not many with one of three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/session.h"
#include "domain/search_query.h"

namespace koya::sql {

// By beginning, with the letter of its place ("n:network"): the words that begin so, itself first,
// whether it is there or not. A word that is joined of several ("network_acl") is left out where
// its first part is told: what has the one has the other. What is not a key is not known, and to be
// asked for as a beginning.
using Beginnings = std::map<std::string, std::vector<std::string>>;

inline constexpr std::size_t kMostWordsThatBegin = 32;  // else it is not known
inline constexpr std::size_t kMostOnPostgres = 20;      // more take longer than the beginning does
// Letters of a beginning that the index of words has rows of already (dialect.cc).
inline constexpr std::size_t kLongestIndexedBeginning = 5;

// Of all terms of the search that may be beginnings: in the index of newest versions, on PostgreSQL
// in the table of words of all versions. Throws as Query does.
Beginnings FindBeginnings(Session& session, const SearchQuery& search);

// Notes of an entry's words (domain/search_document.h) those that are kept for it on PostgreSQL.
void NoteWordsThatBegin(std::string_view words, std::set<std::string>* noted);

// Whether so many entries of newest versions may have the words (MatchedWords), or so many of
// others (0: they are not asked for): only false is certain, as it is not looked at who may read
// them. Takes no more than the index of words.
bool MayHaveWords(Session& session, const std::string& words, std::uint64_t most,
                  std::uint64_t most_older);

}  // namespace koya::sql
