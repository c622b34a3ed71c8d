#include "service/mirror/mirror_report.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "catalog/mirror_count_catalog.h"
#include "service/mirror/context.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/pull_policy.h"

namespace koya::service {
namespace {

UsageDay FirstOf(const MirrorContext& context, std::uint64_t days) {
  const std::uint64_t most = std::clamp<std::uint64_t>(days, 1, MirrorReport::kMostDays);
  return context.clock.Now() / kSecondsOfDay - static_cast<UsageDay>(most) + 1;
}

void AddTo(MirrorActivity& activity, const MirrorCount& count) {
  switch (count.kind) {
    case MirrorCountKind::kSent:
      activity.sent += count.count;
      activity.sent_bytes += count.bytes;
      return;
    case MirrorCountKind::kFetched:
      activity.brought += count.count;
      activity.fetched_bytes += count.bytes;
      return;
    case MirrorCountKind::kAllowed:
    case MirrorCountKind::kDenied:
    case MirrorCountKind::kUnrestricted:
    case MirrorCountKind::kNotListed:
      break;
  }
  (IsRefusal(count.kind) ? activity.turned_away : activity.let_through) += count.count;
}

using RuleCounts = std::map<std::pair<MirrorCountKind, std::string>, std::uint64_t>;

std::vector<RuleDecisions> DecisionsOf(const std::vector<PullPattern>& rules, MirrorCountKind kind,
                                       const RuleCounts& counts) {
  std::vector<RuleDecisions> decisions;
  decisions.reserve(rules.size());
  for (const PullPattern& rule : rules) {
    auto found = counts.find({kind, MirrorRuleName(rule.text())});
    decisions.push_back({rule.text(), found == counts.end() ? 0 : found->second});
  }
  return decisions;
}

}  // namespace

Task<MirrorReport> ReadMirrorReport(const MirrorContext& context, std::uint64_t days) {
  MirrorReport report{.since = FirstOf(context, days), .days = {}, .sum = {}, .ready = {}};
  const UsageDay today = context.clock.Now() / kSecondsOfDay;
  report.days.resize(static_cast<std::size_t>(today - report.since + 1));
  ASSIGN_OR_CO_RETURN(std::vector<MirrorCount> counts,
                      co_await context.counts.ListMirrorDays(report.since));
  for (const MirrorCount& count : counts) {
    // A server whose clock is ahead has counted for tomorrow.
    if (count.day < report.since || count.day > today) continue;
    AddTo(report.days[static_cast<std::size_t>(count.day - report.since)], count);
    AddTo(report.sum, count);
  }
  ASSIGN_OR_CO_RETURN(report.ready, co_await context.counts.CountReady(report.since));
  co_return report;
}

Task<MirrorDecisions> ReadMirrorDecisions(const MirrorContext& context, std::uint64_t days) {
  ASSIGN_OR_CO_RETURN(std::vector<MirrorCount> rows,
                      co_await context.counts.ListMirrorRules(FirstOf(context, days)));
  RuleCounts counts;
  for (MirrorCount& row : rows) counts[{row.kind, std::move(row.rule)}] += row.count;
  const PullPolicy& policy = context.policy;
  co_return MirrorDecisions{.allow = DecisionsOf(policy.allow(), MirrorCountKind::kAllowed, counts),
                            .deny = DecisionsOf(policy.deny(), MirrorCountKind::kDenied, counts),
                            .unrestricted = counts[{MirrorCountKind::kUnrestricted, ""}],
                            .not_listed = counts[{MirrorCountKind::kNotListed, ""}]};
}

}  // namespace koya::service
