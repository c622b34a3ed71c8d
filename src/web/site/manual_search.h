// Searches the documentation that is part of the program: guides, settings and kinds of errors. It
// is the same for all callers. Its index is made once, in memory, from the texts of manual.h. Any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "domain/page.h"
#include "domain/search_record.h"

namespace koya {
class SearchQuery;
}

namespace koya::web {

struct ManualHits {
  // Of the kinds that the query asks for: first names and headings that have all words, then pages
  // with the words in their texts. A guide is one hit, which leads to the section with the words.
  std::vector<SearchHit> items;
  std::uint64_t total = 0;                     // of these kinds
  std::map<SearchKind, std::uint64_t> counts;  // whatever kinds the query asks for
};

// `part`: of the items. Finds nothing for a query with filters other than `kind:`: documentation
// has no namespace.
ManualHits SearchManual(const SearchQuery& query, PageRequest part);

// Makes the index, which takes some milliseconds; no-op when there is one.
void PrepareManualSearch();

}  // namespace koya::web
