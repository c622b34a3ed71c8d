// What the audit log needs beside the requests: entries are chained, and go when they are old. One
// server at a time does it (service/leases.h); several would do no harm.
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

  // How long entries are kept, and those of denied attempts without a token or session.
  struct Retention {
    std::chrono::seconds all;
    std::chrono::seconds strangers;
  };
  // Everything given must outlive this.
  // `runs`: where to note what was done, "audit-chain" and "audit-trim"; null: nowhere.
  AuditUpkeep(AuditCatalog& catalog, Leases& leases, Logger& log, Retention retention,
              JobRuns* runs = nullptr)
      : catalog_(catalog), leases_(leases), log_(log), retention_(retention), runs_(runs) {}

  // Chains what was written until now, unless another server is at it. To be called every second.
  // A failure is told in the log, once until it succeeds again.
  Awaitable<void> Chain();
  // Removes what is older than the retention. To be called every hour or so.
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
