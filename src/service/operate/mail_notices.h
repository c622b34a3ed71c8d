// Sends mail about what users watch, use and own: new versions at once or in a digest a day,
// deprecations of versions that they fetched, tokens and keys that end.
//
// Permissions are checked when a mail is made. Changes that follow each other closely, as those of
// an import, are one mail. One server at a time runs this (its caller holds a lease). A mail that
// the mail server takes later, or cannot take now, is made again after a while, then with what
// happened since; one that it refuses is given up. Belongs to one coroutine at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "base/clock.h"
#include "base/task.h"
#include "domain/watch_record.h"

namespace koya {
class AccountCatalog;
class Clock;
class Logger;
class MailCatalog;
struct Notification;
class WatchCatalog;
}  // namespace koya

namespace koya::service {

class Namespaces;
class Waiting;

struct MailParts {
  std::string from;  // addresses that CheckMailAddress took
  std::string to;
  std::string subject;   // one line, UTF-8
  std::string body;      // UTF-8
  std::string end_link;  // for List-Unsubscribe (RFC 8058); "": none
  UnixSeconds at = 0;
};

// The text of a mail: header and body. Pure; any thread. Values from users cannot add fields to the
// header: all but printable ASCII is encoded, and so are line ends. Lines end with CRLF; the body
// is in base64, so that no line is too long or begins with a dot.
std::string MailText(const MailParts& parts);

// What a mail is about. All newest first.
struct MailNews {
  std::vector<Notification> watched;    // changes of versions
  std::vector<Notification> used;       // deprecations of versions that the user uses
  std::vector<Notification> reminders;  // of tokens and keys
  bool has_more = false;                // `watched` or `used` is cut
};

// "kumo.example: acme/vpc/aws 1.2.0" for a single package, else the number of packages.
std::string NewsSubject(const MailNews& news, std::string_view site);
// One line for each package and kind, whatever the number of its versions. `url`: of the registry.
std::string NewsBody(const MailNews& news, std::string_view url, std::string_view end_link);

struct MailSetup {
  std::string from;                  // mail.from
  std::function<std::string()> url;  // of the registry
  // Sends a mail, with a deadline. Fails: kThrottled: later; kRefused: never; any other: the mail
  // server cannot be used now.
  std::function<Task<void>(std::string to, std::string text)> send;
  // The path and query that end the mail of an account.
  std::function<std::string(std::string_view account_id)> end_path;
};

struct MailReport {
  std::uint64_t sent = 0;
  std::uint64_t refused = 0;
  std::uint64_t later = 0;
};

class MailNotices {
 public:
  static constexpr std::chrono::seconds kLookEvery{5};

  struct Parts {
    MailCatalog& mail;
    WatchCatalog& watches;
    AccountCatalog& accounts;
    Namespaces& namespaces;
    Waiting& waiting;
    const Clock& clock;
    Logger& log;
  };
  // All parts must outlive this.
  MailNotices(Parts parts, MailSetup setup) : parts_(parts), setup_(std::move(setup)) {}

  // Sends mail that is due. Fails: the mail server cannot be used, which is logged once; as the
  // catalog.
  Task<MailReport> Run(const std::atomic<bool>& stopping);
  // Sends one mail now, for example to confirm an address. Fails: as MailSetup::send; kInvalid: the
  // address.
  Task<void> Send(std::string to, std::string subject, std::string body);

 private:
  struct Pass;

  Task<bool> IsPassDue(UnixSeconds now);
  Task<void> Serve(MailRecipient to, Pass& pass);
  Task<MailNews> FindNews(const MailRecipient& to, Pass& pass, MailMarks& marks);
  Task<void> SendNews(const MailRecipient& to, MailNews news, Pass& pass);
  void BackOff(UnixSeconds now);

  const Parts parts_;
  const MailSetup setup_;
  std::uint64_t horizon_ = 0;       // entries up to this one are all visible
  std::uint64_t latest_ = 0;        // the newest entry at the last look
  std::uint64_t looked_until_ = 0;  // entries that a pass has looked at
  bool has_looked_ = false;
  bool is_pending_ = true;   // a pass is due, whatever is new
  bool is_failing_ = false;  // the failure was logged
  UnixSeconds passed_at_ = 0;
  UnixSeconds retry_at_ = 0;
  unsigned failures_ = 0;
};

}  // namespace koya::service
