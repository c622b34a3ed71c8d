#include "service/operate/mail_notices.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <span>
#include <utility>

#include "base/encoding.h"
#include "base/text.h"
#include "catalog/access_catalog.h"
#include "catalog/notification_catalog.h"
#include "domain/account_record.h"
#include "domain/digest.h"
#include "domain/name_rules.h"
#include "domain/watch_record.h"
#include "obs/log.h"
#include "service/access/accounts.h"
#include "service/access/namespaces.h"
#include "service/access/tokens.h"
#include "service/operate/notifications.h"
#include "service/usage/usage_counter.h"

namespace koya::service {
namespace {

constexpr std::size_t kMostVersions = 10;  // of a line
constexpr std::size_t kMostLines = 100;    // of a part

std::string Base64Of(std::string_view text) { return Base64Encode(std::as_bytes(std::span(text))); }

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// RFC 2047: as it is, or in encoded words, none of which cuts a character.
std::string HeaderText(std::string_view text) {
  constexpr std::size_t kMostOfWord = 42;  // 56 characters in base64
  constexpr std::size_t kPlain = 70;
  const bool plain =
      text.size() <= kPlain && !text.contains("=?") &&
      std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
  if (plain) return std::string(text);
  std::string out;
  while (!text.empty()) {
    std::size_t size = std::min(text.size(), kMostOfWord);
    while (size < text.size() && size > 1 && !StartsCharacter(text[size])) --size;
    out +=
        fmt::format("{}=?utf-8?B?{}?=", out.empty() ? "" : "\r\n ", Base64Of(text.substr(0, size)));
    text.remove_prefix(size);
  }
  return out;
}

std::string MailDate(UnixSeconds at) {
  const std::time_t time = at;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} +0000", parts);
}

std::string Wrapped(const std::string& encoded) {
  constexpr std::size_t kLine = 76;
  std::string out;
  for (std::size_t at = 0; at < encoded.size(); at += kLine) {
    out += encoded.substr(at, kLine) + "\r\n";
  }
  return out;
}

std::string_view HeadingOf(NotificationKind kind) {
  switch (kind) {
    case NotificationKind::kPublished:
      return "New versions of what you watch";
    case NotificationKind::kDeprecated:
      return "Deprecated versions of what you watch";
    case NotificationKind::kWithdrawn:
      return "Withdrawn versions of what you watch";
    case NotificationKind::kRestored:
      return "Versions of what you watch that are available again";
    case NotificationKind::kTokenEnds:
      return "Tokens of yours that end soon";
    case NotificationKind::kKeyEnds:
      return "Signing keys of your namespaces that end soon";
  }
  return "";
}

// "acme/vpc/aws" and its versions, oldest first, in the order of addresses.
using VersionsByAddress = std::map<std::string, std::vector<std::string>>;

VersionsByAddress Grouped(const std::vector<Notification>& events) {
  VersionsByAddress groups;
  for (const Notification& each : events) {
    std::vector<std::string>& versions = groups[each.address];
    versions.insert(versions.begin(), each.version);
  }
  return groups;
}

std::string VersionsText(const std::vector<std::string>& versions) {
  std::string text;
  for (std::size_t i = 0; i < std::min(versions.size(), kMostVersions); ++i) {
    text += (i > 0 ? ", " : "") + Printable(versions[i], 100);
  }
  if (versions.size() > kMostVersions) {
    text += fmt::format(" and {} more", versions.size() - kMostVersions);
  }
  return text;
}

void AddPart(std::string& body, std::string_view heading, const std::vector<Notification>& events) {
  const VersionsByAddress groups = Grouped(events);
  if (groups.empty()) return;
  body += fmt::format("{}:\n", heading);
  std::size_t lines = 0;
  for (const auto& [address, versions] : groups) {
    if (++lines > kMostLines) break;
    body += fmt::format("  {} {}\n", Printable(address, 200), VersionsText(versions));
  }
  if (groups.size() > kMostLines) {
    body += fmt::format("  and {} more\n", groups.size() - kMostLines);
  }
  body += "\n";
}

std::vector<Notification> OfKind(const std::vector<Notification>& events, NotificationKind kind) {
  std::vector<Notification> found;
  std::ranges::copy_if(events, std::back_inserter(found),
                       [kind](const Notification& each) { return each.kind == kind; });
  return found;
}

// Tokens and keys, each with the day of its end.
std::vector<Notification> WithDays(std::vector<Notification> reminders) {
  for (Notification& each : reminders) {
    const std::string day = FormatRfc3339(each.at).substr(0, 10);
    each.version = each.version.empty() ? day : fmt::format("{} {}", each.version, day);
  }
  return reminders;
}

}  // namespace

std::string MailText(const MailParts& parts) {
  const std::string domain = parts.from.substr(parts.from.find('@') + 1);
  const std::string id =
      Digest::Of(fmt::format("{} {} {} {}", parts.to, parts.at, parts.subject, parts.body)).hex();
  std::string text = fmt::format(
      "From: Koya <{}>\r\nTo: <{}>\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <{}@{}>\r\n"
      "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n",
      parts.from, parts.to, HeaderText(parts.subject), MailDate(parts.at), id.substr(0, 32),
      domain);
  if (!parts.end_link.empty()) {
    text += fmt::format(
        "List-Unsubscribe: <{}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
        parts.end_link);
  }
  return text + "\r\n" + Wrapped(Base64Of(parts.body));
}

std::string NewsSubject(const MailNews& news, std::string_view site) {
  const VersionsByAddress watched = Grouped(news.watched), used = Grouped(news.used),
                          ending = Grouped(news.reminders);
  const std::size_t lines = watched.size() + used.size() + ending.size();
  if (lines != 1 || news.has_more) return fmt::format("{}: {} notifications", site, lines);
  const auto& [address, versions] = *(!watched.empty() ? watched
                                      : !used.empty()  ? used
                                                       : ending)
                                         .begin();
  return fmt::format("{}: {} {}", site, Printable(address, 200), VersionsText(versions));
}

std::string NewsBody(const MailNews& news, std::string_view url, std::string_view end_link) {
  std::string body;
  for (NotificationKind kind : {NotificationKind::kPublished, NotificationKind::kDeprecated,
                                NotificationKind::kWithdrawn, NotificationKind::kRestored}) {
    AddPart(body, HeadingOf(kind), OfKind(news.watched, kind));
  }
  AddPart(body, "Deprecated versions that you fetched in the last 30 days", news.used);
  for (NotificationKind kind : {NotificationKind::kTokenEnds, NotificationKind::kKeyEnds}) {
    AddPart(body, HeadingOf(kind), WithDays(OfKind(news.reminders, kind)));
  }
  if (news.has_more) body += "There is more on the page.\n\n";
  body += fmt::format("All notifications: {}/-/notifications\n", url);
  return body + fmt::format("End all mail of this registry: {}\n", end_link);
}

namespace {

constexpr std::uint64_t kMostNews = 500;
constexpr UnixSeconds kDaySeconds = 86'400;
constexpr UnixSeconds kOldest = 7 * kDaySeconds;  // older news are not mailed
constexpr UnixSeconds kUsedWithin = 30 * kDaySeconds;
// A mail waits until nothing more happens for so long, but not forever.
constexpr UnixSeconds kQuietFor = 20;
constexpr UnixSeconds kLongestQuietFor = 3600;
constexpr UnixSeconds kBetweenPasses = 3600;
constexpr UnixSeconds kFirstRetry = 10;
constexpr unsigned kMostDoublings = 8;

bool IsBusy(const std::vector<Notification>& news, UnixSeconds now) {
  return !news.empty() && news.front().at > now - kQuietFor &&
         news.back().at > now - kLongestQuietFor;
}

std::string HostOf(std::string_view url) {
  const std::size_t begin = url.find("://");
  return std::string(begin == url.npos ? url : url.substr(begin + 3));
}

bool IsOfServer(ErrorKind kind) {
  return kind != ErrorKind::kRefused && kind != ErrorKind::kThrottled;
}

}  // namespace

// One walk through all recipients.
struct MailNotices::Pass {
  UnixSeconds now = 0;
  std::uint64_t horizon = 0;
  bool moves_marks = false;  // although there is nothing to send
  MailReport report;
};

void MailNotices::BackOff(UnixSeconds now) {
  is_pending_ = true;
  retry_at_ = now + (kFirstRetry << std::min(failures_, kMostDoublings));
  ++failures_;
}

// Entries become visible out of order: those that were the newest at the last look are complete.
Task<bool> MailNotices::IsPassDue(UnixSeconds now) {
  ASSIGN_OR_CO_RETURN(std::uint64_t latest, co_await parts_.mail.LatestAuditId());
  horizon_ = std::exchange(latest_, latest);
  if (!std::exchange(has_looked_, true)) {
    looked_until_ = latest;
    co_return false;
  }
  if (now < retry_at_) co_return false;
  if (is_pending_ || now - passed_at_ >= kBetweenPasses) co_return true;
  co_return co_await parts_.mail.HasVersionChanges(looked_until_);
}

Task<MailReport> MailNotices::Run(const std::atomic<bool>& stopping) {
  Pass pass{.now = parts_.clock.Now()};
  ASSIGN_OR_CO_RETURN(bool is_due, co_await IsPassDue(pass.now));
  if (!is_due) co_return pass.report;
  pass.horizon = horizon_;
  pass.moves_marks = pass.now - passed_at_ >= kBetweenPasses;
  is_pending_ = false;
  ASSIGN_OR_CO_RETURN(std::vector<MailRecipient> recipients, co_await parts_.mail.ListRecipients());
  for (MailRecipient& each : recipients) {
    if (stopping) break;
    const Status served = co_await Serve(std::move(each), pass);
    if (served) continue;
    BackOff(pass.now);
    if (!std::exchange(is_failing_, true)) {
      parts_.log.Failure("mail cannot be sent; retrying", served.error());
    }
    co_return Failure(served.error());
  }
  looked_until_ = pass.horizon;
  passed_at_ = pass.now;
  is_failing_ = false;
  if (pass.report.later > 0) {
    BackOff(pass.now);
  } else {
    failures_ = 0;
  }
  co_return pass.report;
}

Task<MailNews> MailNotices::FindNews(const MailRecipient& to, Pass& pass, MailMarks& marks) {
  MailNews news;
  Result<std::shared_ptr<const AccountRights>> rights =
      co_await FindAccountRights(parts_.accounts, to.account_id);
  if (!rights) co_return news;  // deleted meanwhile
  // As a session of the user.
  auth::Principal by{.name = to.name, .scope = Scope::kAdmin, .namespaces = {}, .account = *rights};
  NotificationFilter filter{.account_id = to.account_id,
                            .readable = by.Readable(parts_.namespaces.unrecorded()),
                            .after = marks.mailed_id,
                            .before = pass.horizon + 1,
                            .since = pass.now - kOldest,
                            .mail = WatchMail::kNow};
  ASSIGN_OR_CO_RETURN(news.watched, co_await parts_.watches.ListNotifications(filter, kMostNews));
  ASSIGN_OR_CO_RETURN(news.used, co_await parts_.mail.ListUsedDeprecations(
                                     filter, {"user:" + to.name, UsageMarkOf(to.account_id)},
                                     (pass.now - kUsedWithin) / kDaySeconds, kMostNews));
  if (IsBusy(news.watched, pass.now) || IsBusy(news.used, pass.now)) {
    is_pending_ = true;
    news = MailNews();
  } else {
    marks.mailed_id = pass.horizon;
  }
  if (pass.now - marks.digest_at >= kDaySeconds) {
    filter.after = marks.digest_id;
    filter.mail = WatchMail::kDaily;
    ASSIGN_OR_CO_RETURN(std::vector<Notification> daily,
                        co_await parts_.watches.ListNotifications(std::move(filter), kMostNews));
    news.watched.insert(news.watched.end(), daily.begin(), daily.end());
    marks.digest_id = pass.horizon;
    marks.digest_at = pass.now;
  }
  news.has_more = news.watched.size() >= kMostNews || news.used.size() >= kMostNews;
  ASSIGN_OR_CO_RETURN(ExpiryReminders ending, co_await parts_.waiting.FindReminders(std::move(by)));
  const auto is_new = [&](UnixSeconds end, std::chrono::days before) {
    const UnixSeconds begins = end - std::chrono::seconds(before).count();
    return begins > marks.reminded_at && end > pass.now;
  };
  for (const TokenRecord& token : ending.tokens) {
    const UnixSeconds end = token.expires_at.value_or(0);
    if (!is_new(end, kTokenEndsSoon)) continue;
    news.reminders.push_back(
        {.kind = NotificationKind::kTokenEnds, .address = token.name, .at = end});
  }
  for (const EndingKey& key : ending.keys) {
    if (!is_new(key.expires_at, Waiting::kKeysBefore)) continue;
    news.reminders.push_back({.kind = NotificationKind::kKeyEnds,
                              .address = key.ns,
                              .version = key.key_id,
                              .at = key.expires_at});
  }
  marks.reminded_at = pass.now;
  co_return news;
}

Task<void> MailNotices::Serve(MailRecipient to, Pass& pass) {
  MailMarks marks = to.marks;
  if (!CheckMailAddress(to.email)) co_return Status();  // a provider's, which it does not check
  if (marks.mailed_id == 0) {
    // A new recipient: from the last pass on, before which nothing is new.
    const std::uint64_t from = std::max<std::uint64_t>(looked_until_, 1);
    marks = {.mailed_id = from, .digest_id = from, .digest_at = pass.now, .reminded_at = 0};
    CO_RETURN_IF_ERROR(co_await parts_.mail.SetMailMarks(to.account_id, marks));
    to.marks = marks;
  }
  ASSIGN_OR_CO_RETURN(MailNews news, co_await FindNews(to, pass, marks));
  const bool is_empty = news.watched.empty() && news.used.empty() && news.reminders.empty();
  if (!is_empty) {
    const Status sent = co_await SendNews(to, std::move(news), pass);
    if (!sent && IsOfServer(sent.error().kind)) co_return sent;
    if (!sent && sent.error().kind == ErrorKind::kThrottled) {
      ++pass.report.later;
      co_return Status();
    }
  }
  const bool is_same = marks.digest_at == to.marks.digest_at;
  if (is_empty && is_same && !pass.moves_marks) co_return Status();
  co_return co_await parts_.mail.SetMailMarks(std::move(to.account_id), marks);
}

Task<void> MailNotices::SendNews(const MailRecipient& to, MailNews news, Pass& pass) {
  const std::string url = setup_.url();
  const std::string end_link = url + setup_.end_path(to.account_id);
  MailParts parts{.from = setup_.from,
                  .to = to.email,
                  .subject = NewsSubject(news, HostOf(url)),
                  .body = NewsBody(news, url, end_link),
                  .end_link = end_link,
                  .at = pass.now};
  Status sent = co_await setup_.send(to.email, MailText(parts));
  if (sent) ++pass.report.sent;
  if (!sent && sent.error().kind == ErrorKind::kRefused) {
    ++pass.report.refused;
    parts_.log.Failure("a mail was refused, and is given up", sent.error(), {{"user", to.name}});
  }
  co_return sent;
}

Task<void> MailNotices::Send(std::string to, std::string subject, std::string body) {
  CO_RETURN_IF_ERROR(CheckMailAddress(to));
  MailParts parts{.from = setup_.from,
                  .to = to,
                  .subject = std::move(subject),
                  .body = std::move(body),
                  .end_link = {},
                  .at = parts_.clock.Now()};
  co_return co_await setup_.send(std::move(to), MailText(parts));
}

}  // namespace koya::service
