// What is published here and was fetched most of late, of what somebody may read. For pages that
// show the whole: asked of the catalog every few minutes at most, whoever looks.
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

  // Everything given must outlive this.
  MostFetched(UsageCatalog& catalog, Namespaces& namespaces, const Clock& clock)
      : catalog_(catalog), namespaces_(namespaces), clock_(clock) {}

  // Modules and providers in order of fetches in the last kDays, `most` at most. REQUIRES: `by` may
  // read at all. While the catalog is away, what was kept before. Fails: as the catalog.
  Task<std::vector<UsageLeader>> Find(auth::Principal by, std::size_t most);

 private:
  using Leaders = std::shared_ptr<const std::vector<UsageLeader>>;
  Task<Leaders> All();

  UsageCatalog& catalog_;
  Namespaces& namespaces_;
  const Clock& clock_;
  std::mutex mutex_;
  Leaders kept_;  // null: nobody has asked yet
  UnixSeconds kept_at_ = 0;
};

}  // namespace koya::service
