// MirrorCountCatalog stores daily sums of what the mirror did, counted by all servers together.
//
// Each server counts in memory (service/mirror/mirror_counter.h) and adds batches. Statistics:
// nothing that is served depends on them, and they append no changes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/mirror_count.h"

namespace koya {

struct MirrorCountBatch {
  static constexpr std::size_t kMostRows = 1000;

  std::string id;  // random: a batch is added only once
  std::vector<MirrorCount> rows;
};

class MirrorCountCatalog {
 public:
  static constexpr std::size_t kMostRules = 10'000;

  virtual ~MirrorCountCatalog() = default;
  // Adds the rows of a batch to those of their days. A batch whose id was added within a day
  // changes nothing, so a caller that got no response may retry. Returns whether it was new.
  // Fails: kInvalid: more than kMostRows, or a text that cannot be stored.
  virtual Task<bool> AddMirrorCounts(MirrorCountBatch batch) = 0;
  // From `since` on, by day and then by kind, all rules together.
  virtual Task<std::vector<MirrorCount>> ListMirrorDays(UsageDay since) = 0;
  // How often each rule decided from `since` on, all days together (`day` is the last of them), by
  // kind and then by rule; at most kMostRules.
  virtual Task<std::vector<MirrorCount>> ListMirrorRules(UsageDay since) = 0;
  // Covers versions of other registries that were fetched from `since` on (UsageCatalog).
  virtual Task<MirrorReadiness> CountReady(UsageDay since) = 0;
  virtual Task<void> RemoveMirrorCountsBefore(UsageDay day) = 0;
};

}  // namespace koya
