// MailCatalog is the part of the catalog (catalog.h) that stores the addresses of users, and up to
// where they got mail.
#pragma once

#include <cstdint>
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

}  // namespace koya
