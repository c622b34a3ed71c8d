// Implements MirrorCountCatalog: sums of what the mirror did, in the database.
#pragma once

#include <vector>

#include "catalog/mirror_count_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlMirrorCounts : public virtual MirrorCountCatalog {
 public:
  explicit SqlMirrorCounts(Executor& transactions) : transactions_(transactions) {}

  Task<bool> AddMirrorCounts(MirrorCountBatch batch) override;
  Task<std::vector<MirrorCount>> ListMirrorDays(UsageDay since) override;
  Task<MirrorReadiness> CountReady(UsageDay since) override;
  Task<void> RemoveMirrorCountsBefore(UsageDay day) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
