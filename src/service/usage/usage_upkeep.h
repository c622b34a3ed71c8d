// Removes old usage statistics in the background: names first, then the sums. One server at a time
// does it (service/common/leases.h); several would do no harm.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "base/task.h"

namespace koya {
class Logger;
class MirrorCountCatalog;
class UsageCatalog;
}  // namespace koya

namespace koya::service {

class JobRuns;
class Leases;

// Settings usage.keep_….
struct UsageRetention {
  std::chrono::seconds detail = std::chrono::days(90);
  std::chrono::seconds totals = std::chrono::days(3 * 365);
};

// The statistics to maintain; both must outlive the UsageUpkeep.
struct UsageStatistics {
  UsageCatalog& usage;
  MirrorCountCatalog& mirror;  // has no names, and is removed together with the sums
};

class UsageUpkeep {
 public:
  static constexpr const char* kLease = "usage";

  // All arguments must outlive this.
  // `runs`: where to record runs, as kLease; null: nowhere.
  UsageUpkeep(UsageStatistics kept, Leases& leases, Logger& log, UsageRetention retention,
              JobRuns* runs = nullptr)
      : kept_(kept), leases_(leases), log_(log), retention_(retention), runs_(runs) {}

  // Folds days into months, and removes old months, and days of the mirror of the same age. Call
  // every hour or so, even if counting is off. Logs a failure.
  Awaitable<void> Tidy(UnixSeconds now);

 private:
  Task<void> TidyAll(UnixSeconds now);

  const UsageStatistics kept_;
  Leases& leases_;
  Logger& log_;
  const UsageRetention retention_;
  JobRuns* const runs_;
};

}  // namespace koya::service
