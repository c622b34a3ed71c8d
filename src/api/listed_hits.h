// Entries of plain lists as pages show what a search finds.
#pragma once

#include "domain/module_record.h"
#include "domain/page.h"
#include "domain/provider_record.h"
#include "domain/search_record.h"

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
