// What is kept of who fetched what goes when it is old: names first, then the sums. One server at
// a time does it (service/leases.h); several would do no harm.
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

// Where statistics are kept: both outlive whoever tidies them.
struct KeptStatistics {
  UsageCatalog& usage;
  MirrorCountCatalog& mirror;  // its counts name nobody, and go with the sums
};

class UsageUpkeep {
 public:
  static constexpr const char* kLease = "usage";

  // Everything given must outlive this.
  // `runs`: where to note what was done, as kLease; null: nowhere.
  UsageUpkeep(KeptStatistics kept, Leases& leases, Logger& log, UsageRetention retention,
              JobRuns* runs = nullptr)
      : kept_(kept), leases_(leases), log_(log), retention_(retention), runs_(runs) {}

  // Folds days into months, and removes months, and days of the mirror as old as these. To be
  // called every hour or so, whether anything is counted or not. A failure is told in the log.
  Awaitable<void> Tidy(UnixSeconds now);

 private:
  Task<void> TidyAll(UnixSeconds now);

  const KeptStatistics kept_;
  Leases& leases_;
  Logger& log_;
  const UsageRetention retention_;
  JobRuns* const runs_;
};

}  // namespace koya::service
