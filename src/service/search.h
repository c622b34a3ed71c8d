// Searching: what is asked in words, and answered from the index of the catalog.
//
// What this server has said was published is found: a search waits for what is on its way into the
// index (service/index_queue.h), as a rule some milliseconds, and kPatience at most.
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
  std::uint64_t total = 0;  // of the kinds that were asked for, as far as it was looked
};

class Search {
 public:
  static constexpr std::chrono::milliseconds kPatience{1000};
  // How long it takes at least to find nothing that has the words as they are written, for those
  // who may not read everything. To find that the many matches of a word are all private takes
  // longer than to find none, and would tell that there are some.
  static constexpr std::chrono::milliseconds kNothingTakes{100};

  // Everything given must outlive this.
  Search(SearchIndex& index, ModuleCatalog& modules, IndexQueue& published,
         std::chrono::milliseconds nothing_takes = kNothingTakes)
      : index_(index), modules_(modules), published_(published), nothing_takes_(nothing_takes) {}

  // `text`: the language of domain/search_query.h. Fails: as SearchQuery::Parse; as the catalog.
  Task<SearchAnswer> Find(ReadableNamespaces readable, std::string text, PageRequest page,
                          SearchOrder order = SearchOrder::kBest);
  // The same without counts, for who shows none (SearchRequest::counted).
  Task<SearchAnswer> FindUncounted(ReadableNamespaces readable, std::string text, PageRequest page,
                                   SearchOrder order = SearchOrder::kBest);

  // Modules alone, for those who know of nothing else; `filter.query` is the text. What is found
  // nowhere in the index, or is no search in that language, is looked for in addresses and
  // descriptions: so a module whose entries are still to come is found, and "pc" finds "vpc".
  Task<Page<ModuleSummary>> FindModules(ModuleFilter filter, PageRequest page);

 private:
  Task<SearchAnswer> Ask(SearchRequest request);
  Task<SearchPage> LookUp(SearchRequest request);
  Awaitable<void> WaitForPublished();

  SearchIndex& index_;
  ModuleCatalog& modules_;
  IndexQueue& published_;
  const std::chrono::milliseconds nothing_takes_;
};

}  // namespace koya::service
