// Converts entries of plain lists to the form in which pages show search hits; says who may read
// the entries of a list.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "domain/access.h"
#include "domain/search_record.h"

namespace koya {
struct ModuleSummary;
struct ProviderSummary;
}  // namespace koya

namespace koya::api {

struct Call;

SearchHit HitOf(const ModuleSummary& module);
SearchHit HitOf(const ProviderSummary& provider);

template <typename Summary>
std::vector<SearchHit> HitsOf(const std::vector<Summary>& list) {
  std::vector<SearchHit> hits;
  hits.reserve(list.size());
  for (const Summary& summary : list) hits.push_back(HitOf(summary));
  return hits;
}

// Who may read the things in a namespace. Fails: as the catalog, which is rarely asked.
Task<Visibility> FindVisibility(const Call& call, std::string ns);
// Sets the visibility of the hits that are published here. Fails: the same.
Task<void> AddVisibility(const Call& call, std::vector<SearchHit>& hits);
// The same for a page, on which only callers who see more than public things need it.
Task<void> AddBadges(const Call& call, std::vector<SearchHit>& hits);

}  // namespace koya::api
