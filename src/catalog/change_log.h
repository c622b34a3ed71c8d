// Part of the catalog (catalog.h): what changed, in order, for all servers on one database.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {

// One thing that changed. Each transaction that changes what documents show appends one.
struct Change {
  std::int64_t sequence = 0;  // grows; gaps are possible
  // Made by domain/topic.h. kEverything when a namespace's keys changed, or when the changes in
  // between are not known.
  std::string topic;
  // Random. After a failover that lost changes, their numbers are given to others.
  std::string mark;
};

// How far somebody has read the log: up to this change. A sequence of 0: nothing was there yet.
struct ChangePosition {
  std::int64_t sequence = 0;
  std::string mark;

  static ChangePosition Of(const Change& change) { return {change.sequence, change.mark}; }
};

class ChangeLog {
 public:
  virtual ~ChangeLog() = default;
  // `listener` is told of each change that is made through this catalog, when it is committed and
  // before whoever made it goes on; on any thread. At most one; set before the first write.
  virtual void SetListener(std::function<void(const std::vector<Change>&)> listener) = 0;
  // The end of the log.
  virtual Task<ChangePosition> LatestChange() = 0;
  // Changes after this position, oldest first, at most 1000. Whoever is further behind than what is
  // kept (the newest 10,000), or has read what the log no longer says, gets one change with an
  // empty topic at the log's end.
  virtual Task<std::vector<Change>> ChangesSince(ChangePosition after) = 0;
  // Ends with the next moment at which ChangesSince may have something new: after a change made
  // here, at a notification from another server on the same database (PostgreSQL), or after 0.4 s
  // at the latest. A change that nobody waited for ends the next wait at once.
  virtual Task<void> WaitForChange() = 0;
  // Which run of which database server this is. Another one may lack what was read here: a standby
  // that took its place, or what was restored.
  virtual Task<std::string> ServerRun() = 0;
  // False while notifications from other servers do not arrive, as behind a pooler that gives each
  // transaction another connection: their changes then show within a second instead of at once.
  virtual bool HearsOthers() const = 0;
};

}  // namespace koya
