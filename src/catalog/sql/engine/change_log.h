// Implements ChangeLog: the change log in the database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/change_log.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {

// The number of newest changes that are always stored.
inline constexpr std::int64_t kKeptChanges = 10'000;
// The channel for notifications between servers on one PostgreSQL database.
inline constexpr std::string_view kChangeChannel = "koya_change";

// Appends within the caller's write transaction. Call it last: on PostgreSQL it serializes writers
// until they commit, so that sequence numbers become visible in order.
void AppendChange(Session& session, const std::string& topic);
// Likewise for several topics, each once.
void AppendChanges(Session& session, std::vector<std::string> topics);

Result<std::vector<Change>> ChangesSince(Session& session, const ChangePosition& after);

class SqlChangeLog : public virtual ChangeLog {
 public:
  explicit SqlChangeLog(Executor& transactions) : transactions_(transactions) {}

  void SetListener(std::function<void(const std::vector<Change>&)> listener) override;
  Task<ChangePosition> LatestChange() override;
  Task<std::vector<Change>> ChangesSince(ChangePosition after) override;
  Task<void> WaitForChange() override;
  Task<std::string> ServerRun() override;
  bool NotificationsWork() const override { return transactions_.signal().hears(); }

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
