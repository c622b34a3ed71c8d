// Lists the modules and providers published here that were fetched most in recent days, restricted
// to those that the caller may read. For overview pages: queries the catalog once in a few minutes
// at most, whatever the number of callers.
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "catalog/usage_catalog.h"
#include "domain/usage_record.h"

namespace koya {
class UsageCatalog;
struct UsageLeader;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

class Namespaces;

class MostFetched {
 public:
  static constexpr UsageDay kDays = 30;
  static constexpr std::chrono::minutes kKept{5};

  // All arguments must outlive this.
  MostFetched(UsageCatalog& catalog, Namespaces& namespaces, const Clock& clock)
      : catalog_(catalog), namespaces_(namespaces), clock_(clock) {}

  // Modules and providers in descending order of fetches in the last kDays, at most `most`.
  // REQUIRES: `by` may read at all. Returns the cached list while the catalog is down. Fails: as
  // the catalog.
  Task<std::vector<UsageLeader>> ListMostFetched(auth::Principal by, std::size_t most);

 private:
  using Leaders = std::shared_ptr<const std::vector<UsageLeader>>;
  Task<Leaders> All();

  UsageCatalog& catalog_;
  Namespaces& namespaces_;
  const Clock& clock_;
  std::mutex mutex_;
  Leaders kept_;  // null until the first query
  UnixSeconds kept_at_ = 0;
};

}  // namespace koya::service
