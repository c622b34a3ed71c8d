// ChangeLog is the part of the catalog (catalog.h) that records what changed, in order, for all
// servers on one database.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {

// One change. Each transaction that changes what documents show appends one.
struct Change {
  std::int64_t sequence = 0;  // grows; gaps are possible
  // Made by domain/topic.h. kEverything when a namespace's keys changed, or when the changes in
  // between are unknown.
  std::string topic;
  // Random. After a failover that lost changes, their sequence numbers are reused.
  std::string mark;
};

// A reader's position in the log: its last change. A sequence of 0: the log was empty.
struct ChangePosition {
  std::int64_t sequence = 0;
  std::string mark;

  static ChangePosition Of(const Change& change) { return {change.sequence, change.mark}; }
};

class ChangeLog {
 public:
  virtual ~ChangeLog() = default;
  // Calls `listener` with each change that is made through this catalog, after its commit and
  // before its writer resumes; on any thread. At most one; set before the first write.
  virtual void SetListener(std::function<void(const std::vector<Change>&)> listener) = 0;
  // The end of the log.
  virtual Task<ChangePosition> LatestChange() = 0;
  // Changes after this position, oldest first, at most 1000. A reader that is further behind than
  // the stored changes (the newest 10,000), or has read changes that the log no longer has, gets
  // one change with an empty topic at the log's end.
  virtual Task<std::vector<Change>> ChangesSince(ChangePosition after) = 0;
  // Waits until ChangesSince may have something new: after a change made here, at a notification
  // from another server on the same database (PostgreSQL), or after 0.4 s at the latest. A change
  // without a waiter ends the next wait at once.
  virtual Task<void> WaitForChange() = 0;
  // Identifies the database server's run. Another run may lack changes that were read here: a
  // standby that took over, or a restored backup.
  virtual Task<std::string> ServerRun() = 0;
  // False while notifications from other servers do not arrive, as behind a pooler that gives each
  // transaction another connection: their changes then show within a second instead of at once.
  virtual bool NotificationsWork() const = 0;
};

}  // namespace koya
