// The text of a mail: header and body. Pure; any thread.
//
// Values from users cannot add fields to the header: all but printable ASCII is encoded, and so are
// line ends.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace koya {
struct Notification;
}

namespace koya::service {

struct MailParts {
  std::string from;  // addresses that CheckMailAddress took
  std::string to;
  std::string subject;   // one line, UTF-8
  std::string body;      // UTF-8
  std::string end_link;  // for List-Unsubscribe (RFC 8058); "": none
  UnixSeconds at = 0;
};

// Lines end with CRLF; the body is in base64, so that no line is too long or begins with a dot.
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

}  // namespace koya::service
