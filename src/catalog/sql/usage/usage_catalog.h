// Implements UsageCatalog: sums of fetches, in the database.
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

}  // namespace koya::sql
