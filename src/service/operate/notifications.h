// Notifications of users: what they watch, and what happened to it.
//
// Permissions are checked whenever notifications are read: a user who lost the right to read a
// namespace sees nothing of it from then on, and sees it again with the right.
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/watch_record.h"

namespace koya {
class Clock;
class WatchCatalog;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

class Namespaces;
class Waiting;

struct NotificationPage {
  // Reminders of tokens and keys that end soon, then changes of versions, newest first.
  std::vector<Notification> events;
  std::uint64_t unseen = 0;  // of all, not of this page; at most WatchCatalog::kMostCounted
  SeenMark seen;             // up to here the user saw them
  std::uint64_t latest = 0;  // the greatest ID of the page, for MarkSeen; 0: it has none
  bool more = false;
};

class Notifications {
 public:
  // How far back they go, and the most of one page.
  static constexpr std::chrono::days kShown{90};
  static constexpr std::uint64_t kMost = 100;

  // All arguments must outlive this.
  Notifications(WatchCatalog& catalog, Namespaces& namespaces, Waiting& waiting, const Clock& clock)
      : catalog_(catalog), namespaces_(namespaces), waiting_(waiting), clock_(clock) {}

  // Methods fail: kForbidden: the caller is no user, or a token without one; as the catalog.

  // As WatchCatalog::PutWatch. Fails: kNotFound also for what the caller may not read.
  Task<WatchRecord> Watch(auth::Principal by, WatchSubject subject, std::optional<WatchMail> mail);
  // Also for what the caller may not read any more. Fails: kNotFound.
  Task<void> EndWatch(auth::Principal by, WatchSubject subject);
  // What the caller may not read any more is left out.
  Task<std::vector<WatchRecord>> ListWatches(auth::Principal by);
  // Changes with IDs below `before` (nullopt: the first page, which alone has reminders).
  Task<NotificationPage> List(auth::Principal by, std::optional<std::uint64_t> before,
                              std::uint64_t limit);
  // The caller saw notifications up to this ID, and reminders up to now.
  Task<void> MarkSeen(auth::Principal by, std::uint64_t id);

 private:
  Task<void> AddReminders(auth::Principal by, NotificationPage& page);

  WatchCatalog& catalog_;
  Namespaces& namespaces_;
  Waiting& waiting_;
  const Clock& clock_;
};

}  // namespace koya::service
