#include "service/operate/mail_notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalog/access_catalog.h"
#include "catalog/mail_catalog.h"
#include "catalog/watch_catalog.h"
#include "domain/account_record.h"
#include "domain/mail_address.h"
#include "obs/log.h"
#include "service/access/accounts.h"
#include "service/access/namespaces.h"
#include "service/access/tokens.h"
#include "service/operate/waiting.h"
#include "service/usage/usage_counter.h"

namespace koya::service {
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
