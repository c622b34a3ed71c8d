// Answers searches in words from the catalog's index, and suggests examples.
//
// Finds every version that this server has reported as published: a search waits for versions on
// their way into the index (service/search/index_queue.h), usually some milliseconds, and kPatience
// at most.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/page.h"
#include "domain/search_record.h"

namespace koya {
class ModuleCatalog;
struct ModuleFilter;
struct ModuleSummary;
struct ReadableNamespaces;
struct SearchHit;
class SearchIndex;
struct SearchRequest;
}  // namespace koya

namespace koya::auth {
struct Principal;
}  // namespace koya::auth

namespace koya::service {

class IndexQueue;
class Namespaces;

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

// Suggests example searches, made of artifacts on this server that the caller may read, so that
// each example finds something.
//
// Resource types are queried from the index for all callers at once, every kKept and after a module
// changed; the rest is made of artifacts that the page shows anyway.
// Threads: any.
class SearchExamples {
 public:
  static constexpr std::chrono::minutes kKept{5};
  // The index lags behind a change: for kSettling after one, results are cached for a shorter time.
  static constexpr std::chrono::minutes kSettling{1};
  static constexpr std::chrono::seconds kKeptMeanwhile{5};

  // All arguments must outlive this.
  SearchExamples(SearchIndex& index, Namespaces& namespaces, const Clock& clock)
      : index_(index), namespaces_(namespaces), clock_(clock) {}

  // Returns a name, a resource type and a namespace as search texts: "network", "uses:aws_vpc",
  // "ns:data". `shown`: packages that `by` may read, newest first; if empty, there are no examples.
  // Without the type while the catalog is down. Fails: as the catalog.
  Task<std::vector<std::string>> FindExamples(auth::Principal by, std::vector<SearchHit> shown);

  // Listener for the change feed.
  void Invalidate(std::string_view topic);

 private:
  // A resource type, and the namespace of a module that uses it.
  struct UsedType {
    std::string ns;
    std::string type;
  };
  using Types = std::shared_ptr<const std::vector<UsedType>>;
  Task<Types> AllTypes();
  // "": no type that the caller may know of.
  Task<std::string> TypeFor(auth::Principal by);

  SearchIndex& index_;
  Namespaces& namespaces_;
  const Clock& clock_;
  std::mutex mutex_;
  Types kept_;  // null: not queried since the last change
  UnixSeconds kept_at_ = 0;
  std::uint64_t changes_ = 0;
  UnixSeconds changed_at_ = 0;
};

}  // namespace koya::service
