// What the mirror did of late, for people and programs who ask: read out of the sums of all servers
// (docs/adr/0071). What this server counted within the last minute is not in it yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/mirror_count.h"

namespace koya::service {

struct MirrorContext;

// Of one day, or of several.
struct MirrorActivity {
  std::uint64_t sent = 0;  // archives that clients were given
  std::uint64_t sent_bytes = 0;
  std::uint64_t brought = 0;  // archives that came from their registries
  std::uint64_t brought_bytes = 0;
  std::uint64_t let_through = 0;  // requests that the policy decided
  std::uint64_t turned_away = 0;

  // Of what was sent, what nothing had to be brought for. What was brought and not sent, as the
  // client had gone, is no less than that.
  std::uint64_t kept() const { return sent > brought ? sent - brought : 0; }
  std::uint64_t kept_bytes() const {
    return sent_bytes > brought_bytes ? sent_bytes - brought_bytes : 0;
  }
  friend bool operator==(const MirrorActivity&, const MirrorActivity&) = default;
};

struct MirrorReport {
  static constexpr std::uint64_t kMostDays = 366;

  UsageDay since = 0;                // the first day
  std::vector<MirrorActivity> days;  // from then on, each of them; the last is today
  MirrorActivity sum;
  // Of the versions that were fetched within these days, as far as fetches are counted
  // (usage.enabled).
  MirrorReadiness ready;
};
// `days`: 1 to kMostDays, of which today is the last. Fails: as the catalog.
Task<MirrorReport> ReadMirrorReport(const MirrorContext& context, std::uint64_t days);

// How often each of today's rules decided, in the order of the settings.
struct RuleDecisions {
  std::string rule;         // as it is written
  std::uint64_t count = 0;  // requests
  friend bool operator==(const RuleDecisions&, const RuleDecisions&) = default;
};
struct MirrorDecisions {
  std::vector<RuleDecisions> allow;
  std::vector<RuleDecisions> deny;
  std::uint64_t unrestricted = 0;  // let through, as nothing restricts them
  std::uint64_t not_listed = 0;    // turned away, as no rule of policy.allow matched
};
// As ReadMirrorReport.
Task<MirrorDecisions> ReadMirrorDecisions(const MirrorContext& context, std::uint64_t days);

}  // namespace koya::service
