// What a search may be tried with: things that are here and that somebody may read, so that each
// example finds something.
//
// Resource types are asked of the index for everybody at once, every kKept and after a module
// changed; the rest is made of what a page shows anyway.
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
  // After a change the index takes a moment: until then what it says is kept for less.
  static constexpr std::chrono::minutes kSettling{1};
  static constexpr std::chrono::seconds kKeptMeanwhile{5};

  // Everything given must outlive this.
  SearchExamples(SearchIndex& index, Namespaces& namespaces, const Clock& clock)
      : index_(index), namespaces_(namespaces), clock_(clock) {}

  // A name, a type of resources and a namespace, as they are typed: "network", "uses:aws_vpc",
  // "ns:data". `shown`: packages that `by` may read, newest first; without any there are no
  // examples. While the catalog is away, without the type. Fails: as the catalog.
  Task<std::vector<std::string>> Find(auth::Principal by, std::vector<SearchHit> shown);

  // A listener of the change feed.
  void Invalidate(std::string_view topic);

 private:
  // A type, and the namespace of a module that has a resource of it.
  struct UsedType {
    std::string ns;
    std::string type;
  };
  using Types = std::shared_ptr<const std::vector<UsedType>>;
  Task<Types> AllTypes();
  // "": there is none that they may know of.
  Task<std::string> TypeFor(auth::Principal by);

  SearchIndex& index_;
  Namespaces& namespaces_;
  const Clock& clock_;
  std::mutex mutex_;
  Types kept_;  // null: nobody has asked since it changed
  UnixSeconds kept_at_ = 0;
  std::uint64_t changes_ = 0;
  UnixSeconds changed_at_ = 0;
};

}  // namespace koya::service
