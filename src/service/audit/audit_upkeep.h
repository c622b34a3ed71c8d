// Maintains the audit log in the background: chains new entries, and removes old ones. One server
// at a time does it (service/common/leases.h); several would do no harm.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "base/task.h"

namespace koya {
class AuditCatalog;
class Logger;
}  // namespace koya

namespace koya::service {

class JobRuns;
class Leases;

class AuditUpkeep {
 public:
  static constexpr const char* kLease = "audit";

  // How long entries are stored: all, and those of denied attempts without a token or session.
  struct Retention {
    std::chrono::seconds all;
    std::chrono::seconds strangers;
  };
  // All arguments must outlive this.
  // `runs`: where to record runs, as "audit-chain" and "audit-trim"; null: nowhere.
  AuditUpkeep(AuditCatalog& catalog, Leases& leases, Logger& log, Retention retention,
              JobRuns* runs = nullptr)
      : catalog_(catalog), leases_(leases), log_(log), retention_(retention), runs_(runs) {}

  // Chains the entries that were written so far, unless another server is doing so. Call every
  // second. Logs a failure once, until the next success.
  Awaitable<void> Chain();
  // Removes entries older than the retention. Call every hour or so.
  Awaitable<void> Trim(UnixSeconds now);

 private:
  Task<bool> IsOurs();
  Task<void> ChainAll();
  Task<std::uint64_t> TrimAll(UnixSeconds now);

  AuditCatalog& catalog_;
  Leases& leases_;
  Logger& log_;
  const Retention retention_;
  JobRuns* const runs_;
  bool failing_ = false;
};

}  // namespace koya::service
