// MirrorCountCatalog stores daily sums of what the mirror did, counted by all servers together.
//
// Each server counts in memory (service/mirror/mirror_counter.h) and adds batches. Statistics:
// nothing that is served depends on them, and they append no changes.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "domain/mirror_count.h"

namespace koya {

struct MirrorCountBatch {
  std::string id;  // random: a batch is added only once
  std::vector<MirrorCount> rows;
};

class MirrorCountCatalog {
 public:
  virtual ~MirrorCountCatalog() = default;
  // Adds the rows of a batch to those of their days. A batch whose id was added within a day
  // changes nothing, so a caller that got no response may retry. Returns whether it was new.
  // Fails: kInvalid: an id that cannot be stored.
  virtual Task<bool> AddMirrorCounts(MirrorCountBatch batch) = 0;
  // From `since` on, by day and then by kind.
  virtual Task<std::vector<MirrorCount>> ListMirrorDays(UsageDay since) = 0;
  // Covers versions of other registries that were fetched from `since` on (UsageCatalog).
  virtual Task<MirrorReadiness> CountReady(UsageDay since) = 0;
  virtual Task<void> RemoveMirrorCountsBefore(UsageDay day) = 0;
};

}  // namespace koya
