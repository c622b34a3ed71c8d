// Suggests example searches, made of artifacts on this server that the caller may read, so that
// each example finds something.
//
// Resource types are queried from the index for all callers at once, every kKept and after a module
// changed; the rest is made of artifacts that the page shows anyway.
// Threads: any.
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

namespace koya {
struct SearchHit;
class SearchIndex;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

class Namespaces;

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
