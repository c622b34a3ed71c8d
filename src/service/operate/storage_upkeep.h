// Records once a day how much is stored, so that its growth can be shown. One server at a time does
// it (service/common/leases.h); several would do no harm.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/task.h"

namespace koya {
class Logger;
class StorageCatalog;
}  // namespace koya

namespace koya::service {

class JobRuns;
class Leases;

class StorageUpkeep {
 public:
  static constexpr const char* kLease = "storage";
  static constexpr std::int64_t kDaysKept = 400;

  // All arguments must outlive this.
  // `runs`: where to record runs, as kLease; null: nowhere.
  StorageUpkeep(StorageCatalog& catalog, Leases& leases, Logger& log, JobRuns* runs = nullptr)
      : catalog_(catalog), leases_(leases), log_(log), runs_(runs) {}

  // Records today's sums, unless that is done, and deletes days that are too old. Call every hour
  // or so, one call at a time. Logs a failure.
  Awaitable<void> Sample(UnixSeconds now);

 private:
  Task<void> SampleDay(std::int64_t day);

  StorageCatalog& catalog_;
  Leases& leases_;
  Logger& log_;
  JobRuns* const runs_;
  std::int64_t sampled_ = -1;  // the last day that is known to be recorded
};

}  // namespace koya::service
