#include "service/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "auth/principal.h"
#include "base/clock.h"
#include "catalog/audit_catalog.h"
#include "domain/audit_record.h"
#include "obs/log.h"
#include "service/common/job_runs.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

constexpr std::uint64_t kPageOfChain = 250;

// State of a verification: its progress, and the entry that it expects.
struct Walk {
  AuditReport report;
  AuditAnchor last;
  std::optional<AuditAnchor> expected;

  bool AtEnd() const { return last.sequence >= report.ends.head.sequence; }
  void Damaged(std::int64_t sequence, std::string problem) {
    report.damage = AuditReport::Damage{sequence, std::move(problem)};
  }
};

std::string Named(const AuditRecord& record) {
  return fmt::format("\"{}\" of {}", record.entry.action, FormatRfc3339(record.entry.at));
}

Status CheckExpected(const AuditEnds& ends, const std::optional<AuditAnchor>& expected) {
  if (!expected || expected->sequence >= ends.anchor.sequence) return {};
  return FailInvalid(
      "entry {} cannot be checked: entries up to {} were removed when they were older "
      "than audit.retention; expect an entry that a later audit reported",
      expected->sequence, ends.anchor.sequence);
}

// Whether the place that `walk` has come to is as expected.
void Compare(Walk& walk) {
  const std::optional<AuditAnchor>& expected = walk.expected;
  if (!expected || expected->sequence != walk.last.sequence || *expected == walk.last) return;
  walk.Damaged(
      walk.last.sequence,
      fmt::format("entry {} has another hash than before: it or an earlier entry was rewritten",
                  walk.last.sequence));
}

void Step(Walk& walk, const AuditRecord& record) {
  const AuditAnchor next = NextAuditLink(walk.last, record.entry);
  const AuditAnchor kept = record.link.value_or(AuditAnchor());
  if (kept.sequence != next.sequence) {
    return walk.Damaged(next.sequence,
                        fmt::format("entry {} is missing: entry {} follows entry {}", next.sequence,
                                    kept.sequence, walk.last.sequence));
  }
  if (kept.hash != next.hash) {
    return walk.Damaged(
        next.sequence,
        fmt::format(
            "entry {} ({}) is not the one that was written: it was altered, or it replaces another",
            next.sequence, Named(record)));
  }
  walk.last = next;
  ++walk.report.checked;
  Compare(walk);
}

void CheckEnd(Walk& walk) {
  const AuditAnchor& head = walk.report.ends.head;
  const std::optional<AuditAnchor>& expected = walk.expected;
  if (walk.last != head) {
    return walk.Damaged(
        head.sequence,
        fmt::format("the log ends with another entry {} than before: its end was rewritten",
                    head.sequence));
  }
  if (expected && expected->sequence > head.sequence) {
    walk.Damaged(head.sequence + 1,
                 fmt::format("entry {} is missing: the log ends with entry {}, "
                             "and had an entry {}",
                             head.sequence + 1, head.sequence, expected->sequence));
  }
}

Walk Begin(const AuditEnds& ends, const std::optional<AuditAnchor>& expected) {
  Walk walk{
      .report = {.damage = std::nullopt, .ends = ends}, .last = ends.anchor, .expected = expected};
  Compare(walk);
  return walk;
}

void StepAlong(Walk& walk, const std::vector<AuditRecord>& page) {
  for (const AuditRecord& record : page) {
    if (walk.report.damage || walk.AtEnd()) return;
    Step(walk, record);
  }
  if (!page.empty() || walk.report.damage) return;
  walk.Damaged(
      walk.last.sequence + 1,
      fmt::format("entry {} is missing: the log ends with entry {}, and had entries up to "
                  "{}",
                  walk.last.sequence + 1, walk.last.sequence, walk.report.ends.head.sequence));
}

}  // namespace

Status Audit::CheckMayList(const auth::Principal& by, const AuditFilter& filter) {
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  return filter.ns.empty() ? by.RequireAllNamespaces() : by.RequireNamespace(filter.ns);
}

Task<std::vector<AuditRecord>> Audit::List(auth::Principal by, AuditFilter filter,
                                           std::uint64_t limit) {
  CO_RETURN_IF_ERROR(CheckMayList(by, filter));
  co_return co_await catalog_.ListAudit(std::move(filter), limit);
}

Task<AuditRecord> Audit::FindEntry(auth::Principal by, std::int64_t id) {
  AuditFilter filter;
  CO_RETURN_IF_ERROR(CheckMayList(by, filter));
  if (id > 0 && id < std::numeric_limits<std::int64_t>::max()) {
    filter.below = id + 1;
    ASSIGN_OR_CO_RETURN(std::vector<AuditRecord> records,
                        co_await catalog_.ListAudit(std::move(filter), 1));
    if (!records.empty() && records.front().id == id) co_return std::move(records.front());
  }
  co_return FailNotFound("the audit log does not have entry {} (any longer)", id);
}

Task<AuditEnds> Audit::Ends(auth::Principal by) {
  CO_RETURN_IF_ERROR(CheckMayList(by, {}));
  co_return co_await catalog_.FindAuditEnds();
}

Task<AuditReport> Audit::Verify(auth::Principal by, std::optional<AuditAnchor> expected) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  CO_RETURN_IF_ERROR(by.RequireAllNamespaces());
  ASSIGN_OR_CO_RETURN(AuditEnds ends, co_await catalog_.FindAuditEnds());
  CO_RETURN_IF_ERROR(CheckExpected(ends, expected));
  Walk walk = Begin(ends, expected);
  while (!walk.report.damage && !walk.AtEnd()) {
    ASSIGN_OR_CO_RETURN(std::vector<AuditRecord> page,
                        co_await catalog_.ListAuditChain(walk.last.sequence, kPageOfChain));
    StepAlong(walk, page);
    if (!walk.report.damage) continue;
    // Missing entries may have been removed for their age meanwhile.
    ASSIGN_OR_CO_RETURN(AuditEnds now, co_await catalog_.FindAuditEnds());
    if (now.anchor.sequence <= walk.last.sequence) break;
    CO_RETURN_IF_ERROR(CheckExpected(now, expected));
    walk = Begin(now, expected);
  }
  if (!walk.report.damage) CheckEnd(walk);
  co_return std::move(walk.report);
}

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
