// The change log in the database. See ChangeLog.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/change_log.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

// How many of the newest changes are always kept.
inline constexpr std::int64_t kKeptChanges = 10'000;
// The channel that carries the news between servers on one PostgreSQL database.
inline constexpr std::string_view kChangeChannel = "koya_change";

// Appends within the caller's write transaction. Call it last: on PostgreSQL it makes writers take
// turns until they commit, so that numbers become visible in their order.
void AppendChange(Session& session, const std::string& topic);
// The same for several, each once.
void AppendChanges(Session& session, std::vector<std::string> topics);

Result<std::vector<Change>> ChangesSince(Session& session, const ChangePosition& after);

class SqlChangeLog : public virtual ChangeLog {
 public:
  explicit SqlChangeLog(Transactions& transactions) : transactions_(transactions) {}

  void SetListener(std::function<void(const std::vector<Change>&)> listener) override;
  Task<ChangePosition> LatestChange() override;
  Task<std::vector<Change>> ChangesSince(ChangePosition after) override;
  Task<void> WaitForChange() override;
  Task<std::string> ServerRun() override;
  bool HearsOthers() const override { return transactions_.signal().hears(); }

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
