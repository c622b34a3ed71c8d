// Answers searches in words from the catalog's index.
//
// Finds every version that this server has reported as published: a search waits for versions on
// their way into the index (service/search/index_queue.h), usually some milliseconds, and kPatience
// at most.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/task.h"
#include "domain/page.h"
#include "domain/search_record.h"

namespace koya {
class ModuleCatalog;
struct ModuleFilter;
struct ModuleSummary;
struct ReadableNamespaces;
class SearchIndex;
struct SearchRequest;
}  // namespace koya

namespace koya::service {

class IndexQueue;

struct SearchAnswer {
  SearchPage page;
  std::uint64_t total = 0;  // of the kinds in the query, as far as counted
};

class Search {
 public:
  static constexpr std::chrono::milliseconds kPatience{1000};
  // Minimum time of a search without an exact match, for callers who may not read everything.
  // Otherwise the time would reveal private matches: to find that the many matches of a word are
  // all private takes longer than to find none.
  static constexpr std::chrono::milliseconds kNothingTakes{100};

  // All arguments must outlive this.
  Search(SearchIndex& index, ModuleCatalog& modules, IndexQueue& published,
         std::chrono::milliseconds nothing_takes = kNothingTakes)
      : index_(index), modules_(modules), published_(published), nothing_takes_(nothing_takes) {}

  // `text`: a query in the language of domain/search_query.h. Fails: as SearchQuery::Parse; as the
  // catalog.
  Task<SearchAnswer> FindHits(ReadableNamespaces readable, std::string text, PageRequest page,
                              SearchOrder order = SearchOrder::kBest);
  // The same without counts, for callers that show none (SearchRequest::counted).
  Task<SearchAnswer> FindUncounted(ReadableNamespaces readable, std::string text, PageRequest page,
                                   SearchOrder order = SearchOrder::kBest);

  // Finds modules only, for clients that know nothing else; `filter.query` is the text. If the
  // index has no match, or the text is no valid query, searches addresses and descriptions: so a
  // module that is not indexed yet is found, and "pc" finds "vpc".
  Task<Page<ModuleSummary>> FindModules(ModuleFilter filter, PageRequest page);

 private:
  Task<SearchAnswer> RunQuery(SearchRequest request);
  Task<SearchPage> LookUp(SearchRequest request);
  Awaitable<void> WaitForPublished();

  SearchIndex& index_;
  ModuleCatalog& modules_;
  IndexQueue& published_;
  const std::chrono::milliseconds nothing_takes_;
};

}  // namespace koya::service
