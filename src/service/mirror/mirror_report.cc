#include "service/mirror/mirror_report.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "catalog/usage_catalog.h"
#include "service/mirror/context.h"
#include "service/mirror/gate.h"

namespace koya::service {
namespace {

void AddTo(MirrorReport& report, const MirrorCount& count) {
  MirrorActivity& day = report.days[static_cast<std::size_t>(count.day - report.since)];
  switch (count.kind) {
    case MirrorCountKind::kSent:
      for (MirrorActivity* activity : {&day, &report.sum}) {
        activity->sent += count.count;
        activity->sent_bytes += count.bytes;
      }
      return;
    case MirrorCountKind::kFetched:
      for (MirrorActivity* activity : {&day, &report.sum}) {
        activity->brought += count.count;
        activity->fetched_bytes += count.bytes;
      }
      return;
    case MirrorCountKind::kAllowed:
      report.let_through += count.count;
      return;
    case MirrorCountKind::kDenied:
      report.turned_away += count.count;
      return;
  }
}

}  // namespace

Task<MirrorReport> ReadMirrorReport(const MirrorContext& context, std::uint64_t days) {
  const UsageDay today = context.clock.Now() / kSecondsOfDay;
  const auto length = std::clamp<std::uint64_t>(days, 1, MirrorReport::kMostDays);
  MirrorReport report{
      .since = today - static_cast<UsageDay>(length) + 1, .days = {}, .sum = {}, .ready = {}};
  report.days.resize(length);
  ASSIGN_OR_CO_RETURN(std::vector<MirrorCount> counts,
                      co_await context.counts.ListMirrorDays(report.since));
  for (const MirrorCount& count : counts) {
    // A server whose clock is ahead has counted for tomorrow.
    if (count.day < report.since || count.day > today) continue;
    AddTo(report, count);
  }
  ASSIGN_OR_CO_RETURN(report.ready, co_await context.counts.CountReady(report.since));
  co_return report;
}

Task<std::vector<PolicyRuleCount>> ReadRuleCounts(const MirrorContext& context,
                                                  PolicyRevision revision) {
  ASSIGN_OR_CO_RETURN(std::vector<PolicyRuleCount> counted,
                      co_await context.counts.ListRuleCounts(revision.revision));
  Result<std::shared_ptr<const PolicyInForce>> policy = co_await context.gate.ReadPolicy();
  if (!policy || (*policy)->revision != revision.revision) {
    auto make = [&context, &revision] { return context.gate.MakePolicy(revision); };
    policy = co_await Offload(context.pools.workers, std::move(make));
  }
  std::map<std::string, PolicyRuleCount> rules;
  if (policy) {
    for (const policy::Rule& each : (*policy)->policy.rules()) {
      rules[each.name] = {revision.revision, each.name, 0, 0};
    }
  }
  for (PolicyRuleCount& each : counted) rules[each.rule] = std::move(each);
  std::vector<PolicyRuleCount> list;
  for (auto& [name, count] : rules) list.push_back(std::move(count));
  co_return list;
}

}  // namespace koya::service
