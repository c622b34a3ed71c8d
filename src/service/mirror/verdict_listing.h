// Lists stored providers and modules of other registries with the policy's verdict on each, for
// people who browse them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/page.h"
#include "domain/upstream_record.h"
#include "domain/usage_record.h"
#include "domain/version.h"
#include "policy/policy.h"
#include "service/mirror/pull_policy.h"

namespace koya::service {

struct MirrorContext;

enum class StoredSort { kProviders, kModules };

// The rules' verdict on a stored provider or module.
struct StoredVerdict {
  PullVerdict policy;
  bool may_pull = true;  // its registry is one of upstream.hosts
  UsageItem counted_as;  // all versions together, for fetch counts
};

enum class StoredState {
  kAllowed,
  kDenied,
  kNotListed,
  kStoredOnly,  // allowed, but its registry may not be pulled from
};
StoredState StoredStateOf(const StoredVerdict& verdict);

struct VerdictSummary {
  UpstreamSummary summary;
  StoredVerdict verdict;
};

// Returns those that match the filter, by address; only those in `state`, if it is set. The
// database cannot evaluate rules: with `state` every match is checked, at most kMostChecked, and
// later ones are not found. Fails: as the catalog.
inline constexpr std::uint64_t kMostChecked = 10'000;
struct VerdictPage {
  Page<VerdictSummary> page;
  bool is_cut = false;  // more than kMostChecked match the filter
};
Task<VerdictPage> BrowseVerdicts(const MirrorContext& context, StoredSort sort,
                                 UpstreamFilter filter, std::optional<StoredState> state,
                                 PageRequest page);

// The policy's verdict on a version, as clients meet it.
struct VersionVerdict {
  policy::Verdict verdict = policy::Verdict::kAllow;
  std::optional<UnixSeconds> until;  // of a hold that ends by itself
  std::vector<std::string> rules;    // that stop it
  bool is_admitted = false;          // it was handed out before
};
// Judges versions of a provider or module by the facts that the catalog has: at most five queries.
// Returns a verdict on each. Fails: as the catalog.
Task<std::vector<VersionVerdict>> JudgeVersions(const MirrorContext& context,
                                                UpstreamProvider provider,
                                                std::vector<Version> versions);
Task<std::vector<VersionVerdict>> JudgeVersions(const MirrorContext& context, UpstreamModule module,
                                                std::vector<Version> versions);

}  // namespace koya::service
