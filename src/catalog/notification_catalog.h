// Notifications: what users watch, what happened to it, and mail about it. Parts of the catalog
// (catalog.h).
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

struct Actor;
class Digest;
struct MailAddress;
struct MailMarks;
struct MailRecipient;
struct Notification;
struct NotificationFilter;
struct SeenMark;
enum class WatchMail;
struct WatchRecord;
struct WatchSubject;

// Stores the addresses of users, and up to where they got mail.
class MailCatalog {
 public:
  explicit MailCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // The ID of the newest entry of the audit log; 0: there is none.
  Task<std::uint64_t> LatestAuditId();
  // Whether entries beyond this one are about versions.
  Task<bool> HasVersionChanges(std::uint64_t after);
  // Users who have an address, are not disabled and did not end their mail, by account ID.
  Task<std::vector<MailRecipient>> ListRecipients();
  // No-op for an unknown account.
  Task<void> SetMailMarks(std::string account_id, MailMarks marks);
  // Deprecations of versions that principals of these names in usage, or service accounts that the
  // user created, fetched on `since_day` (days since 1970) or later. As ListNotifications.
  Task<std::vector<Notification>> ListUsedDeprecations(NotificationFilter filter,
                                                       std::vector<std::string> principals,
                                                       std::int64_t since_day, std::uint64_t limit);

  // All "" for a user without any.
  Task<MailAddress> FindMailAddress(std::string account_id);
  // Sets the address of the user of that name, in any letter case; "": a sign-in provider's counts
  // again. Audited. Fails: kNotFound.
  Task<void> SetEmail(Actor by, std::string user, std::string email);
  // Remembers an address until it is confirmed with the text of this digest; replaces an earlier
  // one. Fails: kNotFound: no such account.
  Task<void> AskEmail(std::string account_id, std::string email, Digest secret, UnixSeconds until);
  // Takes the secret once: the address that it is about becomes the user's, and is returned.
  // Audited. Fails: kNotFound: there is none, or it has expired at `now`.
  Task<std::string> ConfirmEmail(Actor by, Digest secret, UnixSeconds now);
  // No-op for an unknown account.
  Task<void> SetMailEnded(std::string account_id, bool is_ended);

 private:
  sql::Executor& transactions_;
};

// Stores what users watch, and finds what happened to it in the audit log: nothing is written for
// each watcher when a version changes.
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
