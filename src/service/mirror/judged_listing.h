// What is kept of other registries, by what the policy says of it: for people who look through it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/task.h"
#include "domain/page.h"
#include "domain/upstream_record.h"
#include "domain/usage_record.h"
#include "service/mirror/pull_policy.h"

namespace koya::service {

struct MirrorContext;

enum class KeptSort { kProviders, kModules };

// What the rules say of something that is kept.
struct KeptVerdict {
  PullVerdict policy;
  bool may_pull = true;  // whether its registry is one of upstream.hosts
  UsageItem counted_as;  // all versions together, for its fetches
};

enum class KeptState {
  kAllowed,
  kDenied,
  kNotListed,
  kKeptOnly,  // allowed, and its registry may not be pulled from
};
KeptState KeptStateOf(const KeptVerdict& verdict);

struct JudgedSummary {
  UpstreamSummary summary;
  KeptVerdict verdict;
};

// Those that fit the filter, by address; of one state alone, if one is wanted. Rules are no words
// of the database's: then everything that fits is looked at, kMostJudged things at most, and what
// is behind them is not found. Fails: as the catalog.
inline constexpr std::uint64_t kMostJudged = 10'000;
struct JudgedPage {
  Page<JudgedSummary> page;
  bool is_cut = false;  // there are more than kMostJudged
};
Task<JudgedPage> BrowseJudged(const MirrorContext& context, KeptSort sort, UpstreamFilter filter,
                              std::optional<KeptState> state, PageRequest page);

}  // namespace koya::service
