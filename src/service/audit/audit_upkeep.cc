#include "service/audit/audit_upkeep.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "catalog/audit_catalog.h"
#include "obs/log.h"
#include "service/common/job_runs.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

// In one transaction: on SQLite others who write wait for it.
constexpr std::uint64_t kMostLinks = 250;
constexpr std::uint64_t kMostTrimmed = 500;

}  // namespace

Task<bool> AuditUpkeep::IsOurs() {
  if (leases_.Holds(kLease)) co_return true;
  co_return co_await leases_.TakeLease(kLease);
}

// An idle server costs one query a second and no writes.
Task<void> AuditUpkeep::ChainAll() {
  ASSIGN_OR_CO_RETURN(bool some, co_await catalog_.HasUnlinkedAudit());
  if (!some && leases_.Holds(kLease)) co_return co_await leases_.GiveBack(kLease);
  if (!some) co_return Status();
  ASSIGN_OR_CO_RETURN(bool ours, co_await IsOurs());
  for (std::uint64_t linked = kMostLinks; ours && linked == kMostLinks;) {
    ASSIGN_OR_CO_RETURN(linked, co_await catalog_.ChainAudit(kMostLinks));
    ours = leases_.Holds(kLease);
  }
  co_return Status();
}

Awaitable<void> AuditUpkeep::Chain() {
  const RunTimer timer;
  Status chained = co_await ChainAll();
  if (!chained && !failing_) {
    log_.Failure("entries of the audit log cannot be chained; retrying every second",
                 chained.error());
  }
  failing_ = !chained;
  NoteRun(runs_, "audit-chain", chained, {}, {.took = timer.Took()});
}

Task<std::uint64_t> AuditUpkeep::TrimAll(UnixSeconds now) {
  std::uint64_t trimmed = 0;
  for (std::uint64_t removed = kMostTrimmed; removed == kMostTrimmed;) {
    ASSIGN_OR_CO_RETURN(removed,
                        co_await catalog_.TrimAudit(now - retention_.all.count(), kMostTrimmed));
    trimmed += removed;
  }
  const UnixSeconds before = now - std::min(retention_.all, retention_.strangers).count();
  for (std::uint64_t removed = kMostTrimmed; removed == kMostTrimmed;) {
    ASSIGN_OR_CO_RETURN(removed, co_await catalog_.TrimAnonymousAudit(before, kMostTrimmed));
    trimmed += removed;
  }
  co_return trimmed;
}

Awaitable<void> AuditUpkeep::Trim(UnixSeconds now) {
  const RunTimer timer;
  Result<std::uint64_t> trimmed = co_await TrimAll(now);
  if (!trimmed) {
    log_.Failure("old entries of the audit log could not be removed; retrying in an hour",
                 trimmed.error());
    NoteRun(runs_, "audit-trim", Failure(trimmed.error()), {}, {.took = timer.Took()});
    co_return;
  }
  NoteRun(runs_, "audit-trim", {}, std::to_string(*trimmed) + " old entries removed",
          {.took = timer.Took()});
  if (*trimmed > 0) {
    log_.Info("removed old entries of the audit log", {{"entries", *trimmed}});
  }
}

}  // namespace koya::service
