// Lists modules and providers for searches without words, from the table of indexed versions, in
// its orders. The index of words yields the latest additions, which are unrelated to the order: a
// rebuild of the index adds old things late.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catalog/search_index.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/readable_condition.h"

namespace koya::sql {

// Whether the search is such a list: of everything that may be read, of deprecated packages or of
// others, of packages published here, or of one namespace here; of newest versions, or of all in
// order of time.
bool IsListOfPackages(const SearchRequest& request);

// The first packages of each requested kind. REQUIRES: IsListOfPackages(request). All arguments
// outlive it.
class PackageList {
 public:
  // `most`: rows of a kind, at most SearchIndex::kMostFound.
  PackageList(const SearchRequest& request, const ReadableCondition& readable, std::uint64_t most);

  // A query of `columns` of search_entry `e`, and of `is_older`, which is 0.
  std::string Text(std::string_view columns) const;
  // Binds its parameters, in order.
  void Use(Query& query) const;

 private:
  std::string TextOfKind(SearchKind kind, std::string_view columns) const;

  const SearchRequest& request_;
  const ReadableCondition& readable_;
  const std::uint64_t most_;
};

}  // namespace koya::sql
