// Reports for administrators how much is stored, by kind, and the results of verifying it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {
class StorageCatalog;
struct StorageDay;
struct StorageSums;
struct VerifyProgress;
struct VerifyRun;
class VerifyRunCatalog;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// All methods fail: kForbidden (administrators only); as the catalog.
class Storage {
 public:
  // Limits of the documents that report a run of koya verify.
  static constexpr std::size_t kMostFound = 20;
  static constexpr std::size_t kLongestName = 500;     // bytes
  static constexpr std::size_t kLongestFailure = 500;  // bytes

  // Both arguments must outlive this.
  Storage(StorageCatalog& catalog, VerifyRunCatalog& runs) : catalog_(catalog), runs_(runs) {}

  // Sums according to the catalog's records.
  Task<StorageSums> Sum(auth::Principal by);

  // Stored bytes on each recorded day from `since` on and before `today`, by day.
  Task<std::vector<StorageDay>> DaysBefore(auth::Principal by, std::int64_t today,
                                           std::int64_t since = 0);

  // Records the start of a run of koya verify, and returns its id. The record is informational
  // only. Fails, too: kInvalid: contradictory numbers, or more than the limits.
  Task<std::string> BeginVerifyRun(auth::Principal by, VerifyProgress progress);
  // Updates the record of a run. Fails, too: as BeginVerifyRun; kNotFound: the run is no longer
  // recorded, or it has ended.
  Task<void> ReportVerifyRun(auth::Principal by, std::string id, VerifyProgress progress);
  // The most recent runs, the last one to start first.
  Task<std::vector<VerifyRun>> ListVerifyRuns(auth::Principal by);

 private:
  StorageCatalog& catalog_;
  VerifyRunCatalog& runs_;
};

}  // namespace koya::service
