// Implements UsageCatalog, SentBytesCatalog and MirrorCountCatalog: sums of fetches and of a day in
// the database, to which all servers add.
#pragma once

#include <string>
#include <vector>

#include "catalog/sql/engine/database.h"
#include "catalog/usage_catalog.h"

namespace koya::sql {

class SqlUsage : public virtual UsageCatalog {
 public:
  explicit SqlUsage(Executor& transactions) : transactions_(transactions) {}

  Task<bool> AddUsage(UsageBatch batch) override;
  Task<std::vector<UsageSum>> ListUsage(UsageFilter filter) override;
  Task<std::vector<UsageDaySum>> ListUsageDays(UsageFilter filter) override;
  Task<std::vector<UsageTotal>> ListUsageTotals(UsageKind kind,
                                                std::vector<std::string> addresses) override;
  Task<std::vector<UsageLeader>> ListLeaders(UsageDay since, std::uint64_t limit) override;
  Task<UsageDay> FindFirstUsageDay() override;
  Task<UsageTotal> FindUsageTotal(UsageItem item) override;
  Task<bool> FoldUsageDay(UsageDay day) override;
  Task<void> RemoveUsageBefore(UsageDay day) override;
  Task<std::uint64_t> ForgetUsageOf(Actor by, std::vector<std::string> principals) override;

 private:
  Executor& transactions_;
};

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
