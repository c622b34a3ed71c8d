// Runs a search as one statement: the entries to examine, the matches among them, the count of each
// kind, and the page.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/search_index.h"
#include "catalog/sql/search/prefix_expansion.h"
#include "catalog/sql/search/search_match.h"

namespace koya::sql {

// `asked`: which words match; `beginnings`: known expansions of prefixes in the search. Fails:
// kCorrupt, when entries are not as this program writes them. Throws as Query does.
Result<SearchPage> RunSearch(Session& session, const SearchRequest& request, MatchMode asked,
                             const PrefixExpansions& beginnings);

// Whether versions that are not the newest are searched, too.
bool AsksForOlder(const SearchQuery& search);

// The host of "registry.example.org/acme/vpc/aws"; "" for packages that are published here.
std::string HostOf(SearchKind subject, std::string_view address);

}  // namespace koya::sql
