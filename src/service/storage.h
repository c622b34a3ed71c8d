// How much is stored, of what, and whether it is still what it was, for those who keep the server
// running.
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

// All functions fail: kForbidden (for administrators only); as the catalog.
class Storage {
 public:
  // Of what a run of koya verify found. Bounds of its documents.
  static constexpr std::size_t kMostFound = 20;
  static constexpr std::size_t kLongestName = 500;     // bytes
  static constexpr std::size_t kLongestFailure = 500;  // bytes

  // Both must outlive this.
  Storage(StorageCatalog& catalog, VerifyRunCatalog& runs) : catalog_(catalog), runs_(runs) {}

  // As the catalog's records say.
  Task<StorageSums> Sum(auth::Principal by);

  // How many bytes there were on each day that is kept, from `since` on and before `today`, by day.
  Task<std::vector<StorageDay>> DaysBefore(auth::Principal by, std::int64_t today,
                                           std::int64_t since = 0);

  // Keeps that a run of koya verify began, and returns its id. Nothing depends on what it tells.
  // Fails, too: kInvalid: it says what cannot be, or more than the bounds.
  Task<std::string> BeginVerifyRun(auth::Principal by, VerifyProgress progress);
  // What it says of itself now. Fails, too: as BeginVerifyRun; kNotFound: nobody knows it any more,
  // or it has ended.
  Task<void> TellVerifyRun(auth::Principal by, std::string id, VerifyProgress progress);
  // The last ones; the one that began last comes first.
  Task<std::vector<VerifyRun>> ListVerifyRuns(auth::Principal by);

 private:
  StorageCatalog& catalog_;
  VerifyRunCatalog& runs_;
};

}  // namespace koya::service
