// Implements SentBytesCatalog and MirrorCountCatalog: sums of a day in the database, to which all
// servers add.
#pragma once

#include <vector>

#include "catalog/sql/engine/database.h"
#include "catalog/usage_catalog.h"

namespace koya::sql {

class SqlSentBytes : public virtual SentBytesCatalog {
 public:
  explicit SqlSentBytes(Executor& transactions) : transactions_(transactions) {}

  Task<std::vector<std::uint64_t>> AddSentBytes(std::int64_t day,
                                                std::vector<SentBytes> more) override;

 private:
  Executor& transactions_;
};

class SqlMirrorCounts : public virtual MirrorCountCatalog {
 public:
  explicit SqlMirrorCounts(Executor& transactions) : transactions_(transactions) {}

  Task<bool> AddMirrorCounts(MirrorCountBatch batch) override;
  Task<std::vector<MirrorCount>> ListMirrorDays(UsageDay since) override;
  Task<MirrorReadiness> CountReady(UsageDay since) override;
  Task<void> RemoveMirrorCountsBefore(UsageDay day) override;
  Task<std::vector<PolicyRuleCount>> ListRuleCounts(std::int64_t revision) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
