// Lists of modules and providers, which no words are asked of: from the table of what is indexed,
// in its orders. The index of words gives what was added last, which says nothing of what comes
// first: who indexes anew adds old things late.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catalog/search_index.h"
#include "catalog/sql/query.h"
#include "catalog/sql/readable_condition.h"

namespace koya::sql {

// Whether the search is such a list: of all that may be read, of what is deprecated or not, of what
// is published here, or of one namespace here; of newest versions, or of all in order of time.
bool IsListOfPackages(const SearchRequest& request);

// The first of them, of each kind that is asked for. REQUIRES: IsListOfPackages(request). Whatever
// it is given outlives it.
class PackageList {
 public:
  // `most`: rows of a kind, no more than SearchIndex::kMostFound.
  PackageList(const SearchRequest& request, const ReadableCondition& readable, std::uint64_t most);

  // A query of `columns` of search_entry `e`, and of `is_older`, which is 0.
  std::string Text(std::string_view columns) const;
  // Its parameters, in their turn.
  void Use(Query& query) const;

 private:
  std::string TextOfKind(SearchKind kind, std::string_view columns) const;

  const SearchRequest& request_;
  const ReadableCondition& readable_;
  const std::uint64_t most_;
};

}  // namespace koya::sql
