#include "service/mirror/verdict_listing.h"

#include <algorithm>
#include <utility>

#include "catalog/upstream_catalog.h"
#include "service/mirror/context.h"
#include "service/mirror/gate.h"

namespace koya::service {
namespace {

// The catalog's longest page.
constexpr std::uint64_t kJudgedAtOnce = 1000;

template <class Thing>
StoredVerdict VerdictOn(const PullPolicy& policy, const Thing& thing) {
  return {.policy = policy.EvaluateRules(thing),
          .may_pull = policy.MayPull(thing.host),
          .counted_as = UsageItem::OfAll(thing)};
}

// What cannot be read as an address is no rule's.
StoredVerdict JudgeSummary(const PullPolicy& policy, StoredSort sort,
                           const UpstreamSummary& summary) {
  if (sort == StoredSort::kModules) {
    Result<ModuleAddress> address = ModuleAddress::Parse(summary.address);
    if (address) return VerdictOn(policy, UpstreamModule{summary.host, *std::move(address)});
  } else {
    Result<ProviderAddress> address = ProviderAddress::Parse(summary.address);
    if (address) return VerdictOn(policy, UpstreamProvider{summary.host, *std::move(address)});
  }
  return {.policy = {}, .may_pull = policy.MayPull(summary.host), .counted_as = {}};
}

Task<Page<UpstreamSummary>> BrowseSort(const MirrorContext& context, StoredSort sort,
                                       UpstreamFilter filter, PageRequest page) {
  return sort == StoredSort::kModules
             ? context.catalog.ListMirroredModules(std::move(filter), page)
             : context.catalog.ListMirroredProviders(std::move(filter), page);
}

Task<VerdictPage> BrowseAll(const MirrorContext& context, StoredSort sort, UpstreamFilter filter,
                            PageRequest page) {
  ASSIGN_OR_CO_RETURN(Page<UpstreamSummary> found,
                      co_await BrowseSort(context, sort, std::move(filter), page));
  VerdictPage judged;
  judged.page.more = found.more;
  for (UpstreamSummary& each : found.items) {
    StoredVerdict verdict = JudgeSummary(context.policy, sort, each);
    judged.page.items.push_back({std::move(each), std::move(verdict)});
  }
  co_return judged;
}

VersionVerdict VerdictOn(const SubjectGate& gate, const Version& version) {
  VersionVerdict out{.until = {}, .rules = {}};
  out.is_admitted = gate.facts.admitted.contains(version.ToString());
  if (gate.AllowsAll()) return out;
  const policy::Judgement judgement = gate.Judge(version);
  out.verdict = judgement.verdict;
  out.until = judgement.until;
  for (const policy::Reason& each : judgement.reasons) {
    if (each.verdict >= policy::Verdict::kHold) out.rules.push_back(each.rule->name);
  }
  return out;
}

template <class Subject>
Task<std::vector<VersionVerdict>> JudgeVersionsOf(const MirrorContext& context, Subject subject,
                                                  std::vector<Version> versions) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await context.gate.Open(subject.Key()));
  ASSIGN_OR_CO_RETURN(
      gate, co_await context.gate.AddFacts(std::move(gate), std::move(subject), std::nullopt));
  std::vector<VersionVerdict> verdicts;
  for (const Version& each : versions) verdicts.push_back(VerdictOn(gate, each));
  co_return verdicts;
}

}  // namespace

Task<std::vector<VersionVerdict>> JudgeVersions(const MirrorContext& context,
                                                UpstreamProvider provider,
                                                std::vector<Version> versions) {
  return JudgeVersionsOf(context, std::move(provider), std::move(versions));
}

Task<std::vector<VersionVerdict>> JudgeVersions(const MirrorContext& context, UpstreamModule module,
                                                std::vector<Version> versions) {
  return JudgeVersionsOf(context, std::move(module), std::move(versions));
}

StoredState StoredStateOf(const StoredVerdict& verdict) {
  switch (verdict.policy.kind) {
    case PullVerdict::Kind::kDenied:
      return StoredState::kDenied;
    case PullVerdict::Kind::kNotListed:
      return StoredState::kNotListed;
    case PullVerdict::Kind::kAllowed:
      break;
  }
  return verdict.may_pull ? StoredState::kAllowed : StoredState::kStoredOnly;
}

Task<VerdictPage> BrowseVerdicts(const MirrorContext& context, StoredSort sort,
                                 UpstreamFilter filter, std::optional<StoredState> state,
                                 PageRequest page) {
  if (!state) co_return co_await BrowseAll(context, sort, std::move(filter), page);
  VerdictPage judged;
  std::uint64_t before = page.offset;  // of those that fit, still to be passed over
  for (PageRequest next{.offset = 0, .limit = kJudgedAtOnce};; next.offset += kJudgedAtOnce) {
    if (next.offset >= kMostChecked) {
      judged.is_cut = true;
      co_return judged;
    }
    ASSIGN_OR_CO_RETURN(Page<UpstreamSummary> found,
                        co_await BrowseSort(context, sort, filter, next));
    for (UpstreamSummary& each : found.items) {
      StoredVerdict verdict = JudgeSummary(context.policy, sort, each);
      if (StoredStateOf(verdict) != *state) continue;
      if (before > 0) {
        --before;
        continue;
      }
      if (judged.page.items.size() == page.limit) {
        judged.page.more = true;
        co_return judged;
      }
      judged.page.items.push_back({std::move(each), std::move(verdict)});
    }
    if (!found.more) co_return judged;
  }
}

}  // namespace koya::service
