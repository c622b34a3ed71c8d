// WatchCatalog is the part of the catalog (catalog.h) that stores what users watch, and finds what
// happened to it in the audit log: nothing is written for each watcher when a version changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

struct Notification;
struct NotificationFilter;
struct SeenMark;
enum class WatchMail;
struct WatchRecord;
struct WatchSubject;

class WatchCatalog {
 public:
  explicit WatchCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // The most that one user watches.
  static constexpr std::int64_t kMostWatches = 10'000;
  // Counts of notifications end here.
  static constexpr std::uint64_t kMostCounted = 1000;

  // Starts a watch, or changes when there is mail about it (nullopt: as before; off for a new one).
  // Fails: kNotFound: no such module, provider or namespace, or no such account; kConflict: the
  // user watches kMostWatches others.
  Task<WatchRecord> PutWatch(std::string account_id, WatchSubject subject,
                             std::optional<WatchMail> mail, UnixSeconds at);
  // Fails: kNotFound.
  Task<void> RemoveWatch(std::string account_id, WatchSubject subject);
  // By kind and key.
  Task<std::vector<WatchRecord>> ListWatches(std::string account_id);
  // Changes of versions, newest first, at most `limit` (1000), each once, however it is watched.
  Task<std::vector<Notification>> ListNotifications(NotificationFilter filter, std::uint64_t limit);
  // At most kMostCounted.
  Task<std::uint64_t> CountNotifications(NotificationFilter filter);
  // All zero for a user who saw none.
  Task<SeenMark> FindSeen(std::string account_id);
  // Moves the mark, never back. No-op for an unknown account.
  Task<void> MarkSeen(std::string account_id, SeenMark mark);

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
