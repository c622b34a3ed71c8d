// What the mirror did, counted by all servers together: sums of a day.
//
// A server counts in memory (service/mirror/mirror_counter.h) and hands in batches. Statistics:
// nothing that is served depends on them, and nothing of them is announced as a change.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/mirror_count.h"

namespace koya {

struct MirrorCountBatch {
  static constexpr std::size_t kMostRows = 1000;

  std::string id;  // random: a batch that was taken is not taken again
  std::vector<MirrorCount> rows;
};

class MirrorCountCatalog {
 public:
  static constexpr std::size_t kMostRules = 10'000;

  virtual ~MirrorCountCatalog() = default;
  // Adds the rows of a batch to those of their days. A batch whose id was taken within a day
  // changes nothing: whoever got no answer may send it again. Returns whether it was new.
  // Fails: kInvalid: more than kMostRows, or a text that cannot be stored.
  virtual Task<bool> AddMirrorCounts(MirrorCountBatch batch) = 0;
  // From that day on, by day and then by kind, all rules together.
  virtual Task<std::vector<MirrorCount>> ListMirrorDays(UsageDay since) = 0;
  // How often each rule decided from that day on, all days together (`day` is the last of them), by
  // kind and then by rule; at most kMostRules.
  virtual Task<std::vector<MirrorCount>> ListMirrorRules(UsageDay since) = 0;
  // Of the versions of other registries that were fetched from that day on (UsageCatalog).
  virtual Task<MirrorReadiness> CountReady(UsageDay since) = 0;
  virtual Task<void> RemoveMirrorCountsBefore(UsageDay day) = 0;
};

}  // namespace koya
