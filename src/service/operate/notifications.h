// Notifications of users: what they watch, and what happened to it; tokens and keys that expire.
//
// Permissions are checked whenever notifications are read: a user who lost the right to read a
// namespace sees nothing of it from then on, and sees it again with the right.
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/credential_record.h"
#include "domain/signing_key_record.h"
#include "domain/watch_record.h"

namespace koya {
struct Actor;
class Clock;
class MailCatalog;
class WatchCatalog;
}  // namespace koya

namespace koya::auth {
struct Principal;
}  // namespace koya::auth

namespace koya::service {

class MailNotices;
class Namespaces;
class SigningKeys;
class Tokens;
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
  Notifications(WatchCatalog& catalog, MailCatalog& addresses, Namespaces& namespaces,
                Waiting& waiting, const Clock& clock)
      : catalog_(catalog),
        addresses_(addresses),
        namespaces_(namespaces),
        waiting_(waiting),
        clock_(clock) {}

  // `mail` sends, and must outlive this; null: this server sends no mail. Set before requests.
  void UseMail(MailNotices* mail) { mail_ = mail; }
  bool sends_mail() const { return mail_ != nullptr; }

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

  // ---- mail

  Task<MailAddress> FindAddress(auth::Principal by);
  // Starts or ends all mail to the caller.
  Task<void> SetMailEnded(auth::Principal by, bool is_ended);
  // The same for a link in a mail, whose signature was checked: ends it.
  Task<void> EndMailOf(std::string account_id);
  // How long a link confirms an address, and the shortest time between two such mails to a user.
  static constexpr std::chrono::hours kConfirmWithin{24};
  static constexpr std::chrono::minutes kBetweenAsks{1};
  // Sends the address a mail with `link` and "?key=…", which confirms it once. Fails: kInvalid: no
  // address; kThrottled: another was sent a moment ago; kUnavailable: this server sends no mail; as
  // MailNotices::Send.
  Task<void> AskEmail(auth::Principal by, std::string email, std::string link);
  // `by` names the browser's address. Returns the address. Fails: kNotFound: another key, or one
  // that was used or has expired.
  Task<std::string> ConfirmEmail(Actor by, std::string key);
  // For administrators; "": a sign-in provider's address counts. Fails: kInvalid, kNotFound.
  Task<void> SetEmail(auth::Principal by, std::string user, std::string email);

 private:
  Task<void> AddReminders(auth::Principal by, NotificationPage& page);

  WatchCatalog& catalog_;
  MailCatalog& addresses_;
  Namespaces& namespaces_;
  Waiting& waiting_;
  const Clock& clock_;
  MailNotices* mail_ = nullptr;
};

// Reminders, the earliest first, at most Waiting::kMost of each kind.
struct ExpiryReminders {
  std::vector<TokenRecord> tokens;  // of the caller's own account
  bool has_more_tokens = false;
  std::vector<EndingKey> keys;  // of namespaces that the caller owns
  bool has_more_keys = false;
};

// Reminds a caller of tokens and keys that expire soon, or expired recently.
class Waiting {
 public:
  static constexpr std::size_t kMost = 5;
  // How long before the expiry reminders of keys start (of tokens: kTokenEndsSoon), and how long
  // after it all of them end.
  static constexpr std::chrono::days kKeysBefore{30};
  static constexpr std::chrono::days kAfter{7};

  // All arguments must outlive this.
  Waiting(Tokens& tokens, SigningKeys& keys, const Clock& clock)
      : tokens_(tokens), keys_(keys), clock_(clock) {}

  // Contains only items that `by` may see elsewhere; empty for a caller that acts for no account
  // and owns no namespace. Fails: as the catalog.
  Task<ExpiryReminders> FindReminders(auth::Principal by);

 private:
  Tokens& tokens_;
  SigningKeys& keys_;
  const Clock& clock_;
};

}  // namespace koya::service
