// Converts entries of plain lists to the form in which pages show search hits.
#pragma once

#include <vector>

#include "domain/search_record.h"

namespace koya {
struct ModuleSummary;
struct ProviderSummary;
}  // namespace koya

namespace koya::api {

SearchHit HitOf(const ModuleSummary& module);
SearchHit HitOf(const ProviderSummary& provider);

template <typename Summary>
std::vector<SearchHit> HitsOf(const std::vector<Summary>& list) {
  std::vector<SearchHit> hits;
  hits.reserve(list.size());
  for (const Summary& summary : list) hits.push_back(HitOf(summary));
  return hits;
}

}  // namespace koya::api
