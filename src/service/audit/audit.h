// Reads the audit log, verifies its integrity, and maintains it. Methods fail, besides the errors
// that they name: as the catalog.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/audit_record.h"

namespace koya {
class AuditCatalog;
class Logger;
}  // namespace koya

namespace koya::auth {
struct Principal;
}  // namespace koya::auth

namespace koya::service {

class JobRuns;
class Leases;

// Result of verifying the hash chain.
struct AuditReport {
  // The first entry that was changed. Later entries were not verified.
  struct Damage {
    std::int64_t sequence = 0;
    std::string problem;
  };
  std::optional<Damage> damage;  // nullopt: the chain is intact
  std::uint64_t checked = 0;     // entries, each with its position
  AuditEnds ends;                // the newest; store it elsewhere and pass it as `expected` later
};

class Audit {
 public:
  // `catalog` must outlive this.
  explicit Audit(AuditCatalog& catalog) : catalog_(catalog) {}

  // Checks that `by` may see the entries that match the filter: administrators all entries, owners
  // of a namespace those about it, if the filter names it. Fails: kForbidden.
  static Status CheckMayList(const auth::Principal& by, const AuditFilter& filter);
  // Newest first, at most `limit` (1000). Fails: kForbidden, as above.
  Task<std::vector<AuditRecord>> List(auth::Principal by, AuditFilter filter, std::uint64_t limit);
  // Returns the entry with this id. Fails: kForbidden (administrators only); kNotFound.
  Task<AuditRecord> FindEntry(auth::Principal by, std::int64_t id);
  // Returns the two ends of the chain without verifying the entries between them. Fails: kForbidden
  // (administrators only).
  Task<AuditEnds> Ends(auth::Principal by);
  // Verifies the chain page by page, from its anchor to its end at the time of the call.
  // `expected`: position and hash from an earlier verification, which must still be there. Fails:
  // kForbidden (administrators only); kInvalid: the expected entry was removed because of its age.
  Task<AuditReport> Verify(auth::Principal by, std::optional<AuditAnchor> expected);

 private:
  AuditCatalog& catalog_;
};

// Maintains the audit log in the background: chains new entries, and removes old ones. One server
// at a time does it (service/common/leases.h); several would do no harm.
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
