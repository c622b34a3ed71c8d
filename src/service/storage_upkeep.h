// How much is stored is noted once a day, so that it can be told how it grows. One server at a time
// does it (service/leases.h); several would do no harm.
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

  // Everything given must outlive this.
  // `runs`: where to note what was done, as kLease; null: nowhere.
  StorageUpkeep(StorageCatalog& catalog, Leases& leases, Logger& log, JobRuns* runs = nullptr)
      : catalog_(catalog), leases_(leases), log_(log), runs_(runs) {}

  // Counts what is stored, unless that was done today, and forgets days that are too old. To be
  // called every hour or so, by one at a time. A failure is told in the log.
  Awaitable<void> Sample(UnixSeconds now);

 private:
  Task<void> SampleDay(std::int64_t day);

  StorageCatalog& catalog_;
  Leases& leases_;
  Logger& log_;
  JobRuns* const runs_;
  std::int64_t sampled_ = -1;  // the last day that is known to be there
};

}  // namespace koya::service
