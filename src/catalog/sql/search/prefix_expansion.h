// Expands a prefix to the words that an index has with it.
//
// Both engines' indexes find the last rows of a single word without its other rows. For all words
// with a prefix they collect all rows first, which takes 40 ms where words are frequent, except for
// prefixes of the lengths that FTS5 has an index of. Asking for the words by name avoids that: few
// words have a prefix of six letters or more in common, and not many one of three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/engine/session.h"
#include "domain/search_query.h"

namespace koya::sql {

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

}  // namespace koya::sql
