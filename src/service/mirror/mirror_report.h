// Reports the mirror's recent activity for people and programs, from the sums of all servers
// (docs/adr/0071). This server's counts of the last minute are not included yet.
#pragma once

#include <cstdint>
#include <vector>

#include "base/task.h"
#include "domain/policy_record.h"
#include "domain/usage_record.h"

namespace koya::service {

struct MirrorContext;

// Sums of one day, or of several.
struct MirrorActivity {
  std::uint64_t sent = 0;  // archives that were sent to clients
  std::uint64_t sent_bytes = 0;
  std::uint64_t brought = 0;  // archives that were fetched from their registries
  std::uint64_t fetched_bytes = 0;

  // Archives (or bytes) that were sent without a fetch. Never below 0: an archive that was fetched
  // may not have been sent, as its client had left.
  std::uint64_t kept() const { return sent > brought ? sent - brought : 0; }
  std::uint64_t kept_bytes() const {
    return sent_bytes > fetched_bytes ? sent_bytes - fetched_bytes : 0;
  }
  friend bool operator==(const MirrorActivity&, const MirrorActivity&) = default;
};

struct MirrorReport {
  static constexpr std::uint64_t kMostDays = 366;

  UsageDay since = 0;                // first day
  std::vector<MirrorActivity> days;  // every day from `since` on; the last is today
  MirrorActivity sum;
  std::uint64_t let_through = 0;  // requests that the policy allowed, on all these days
  std::uint64_t turned_away = 0;
  // Of the versions that clients fetched within these days, as far as fetches are counted
  // (usage.enabled).
  MirrorReadiness ready;
};
// `days`: 1 to kMostDays, of which today is the last. Fails: as the catalog.
Task<MirrorReport> ReadMirrorReport(const MirrorContext& context, std::uint64_t days);

// The rules of a revision of the policy, with those of the settings, and how often each stopped
// something since it is in force: by name. Of a text that cannot be read any more only those that
// did. Fails: as the catalog.
Task<std::vector<PolicyRuleCount>> ReadRuleCounts(const MirrorContext& context,
                                                  PolicyRevision revision);

}  // namespace koya::service
