// One search as one statement: what is looked at, what of it matches, how many there are of each
// kind, and the page of it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/search_index.h"
#include "catalog/sql/search_beginnings.h"
#include "catalog/sql/search_match.h"

namespace koya::sql {

// `asked`: which words do; `beginnings`: what is known to begin with words of the search. Fails:
// kCorrupt, when entries are not as this program writes them. Throws as Query does.
Result<SearchPage> RunSearch(Session& session, const SearchRequest& request, WordsAsked asked,
                             const Beginnings& beginnings);

// Whether versions that are not the newest are searched, too.
bool AsksForOlder(const SearchQuery& search);

// The host of "registry.example.org/acme/vpc/aws"; "" of what is published here.
std::string HostOf(SearchKind subject, std::string_view address);

}  // namespace koya::sql
