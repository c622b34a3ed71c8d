#include "service/operate/notifications.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "auth/principal.h"
#include "auth/token.h"
#include "catalog/notification_catalog.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/name_rules.h"
#include "service/access/namespaces.h"
#include "service/access/tokens.h"
#include "service/operate/mail_notices.h"
#include "service/providers/signing_keys.h"

namespace koya::service {
namespace {

Status RequireUser(const auth::Principal& by) {
  if (by.account && by.account->account.kind == AccountKind::kUser) return {};
  constexpr std::string_view kText =
      "only users watch things and get notifications: use a token of a user, as \"koya login\" "
      "gets one";
  // Nothing is denied to a token that may do everything: it is the wrong one.
  if (by.Require(Scope::kAdmin) && by.RequireAllNamespaces()) return FailInvalid("{}", kText);
  return FailForbidden("{}", kText);
}

constexpr UnixSeconds Seconds(std::chrono::days days) { return std::chrono::seconds(days).count(); }

}  // namespace

Task<WatchRecord> Notifications::Watch(auth::Principal by, WatchSubject subject,
                                       std::optional<WatchMail> mail) {
  CO_RETURN_IF_ERROR(RequireUser(by));
  ASSIGN_OR_CO_RETURN(NamespaceState state, co_await namespaces_.FindNamespace(subject.ns));
  if (!by.MayRead(subject.ns, state.visibility)) {
    // As for what does not exist.
    co_return FailNotFound("there is no {} \"{}\"", WatchKindName(subject.kind), subject.key);
  }
  co_return co_await catalog_.PutWatch(std::string(by.account_id()), std::move(subject), mail,
                                       clock_.Now());
}

Task<void> Notifications::EndWatch(auth::Principal by, WatchSubject subject) {
  CO_RETURN_IF_ERROR(RequireUser(by));
  co_return co_await catalog_.RemoveWatch(std::string(by.account_id()), std::move(subject));
}

Task<std::vector<WatchRecord>> Notifications::ListWatches(auth::Principal by) {
  CO_RETURN_IF_ERROR(RequireUser(by));
  ASSIGN_OR_CO_RETURN(std::vector<WatchRecord> watches,
                      co_await catalog_.ListWatches(std::string(by.account_id())));
  std::vector<WatchRecord> readable;
  for (WatchRecord& watch : watches) {
    ASSIGN_OR_CO_RETURN(NamespaceState state, co_await namespaces_.FindNamespace(watch.ns));
    if (by.MayRead(watch.ns, state.visibility)) readable.push_back(std::move(watch));
  }
  co_return readable;
}

Task<NotificationPage> Notifications::List(auth::Principal by, std::optional<std::uint64_t> before,
                                           std::uint64_t limit) {
  CO_RETURN_IF_ERROR(RequireUser(by));
  NotificationPage page;
  NotificationFilter filter{.account_id = std::string(by.account_id()),
                            .readable = by.Readable(namespaces_.unrecorded()),
                            .since = clock_.Now() - Seconds(kShown)};
  ASSIGN_OR_CO_RETURN(page.seen, co_await catalog_.FindSeen(filter.account_id));
  NotificationFilter unseen = filter;
  unseen.after = page.seen.id;
  ASSIGN_OR_CO_RETURN(page.unseen, co_await catalog_.CountNotifications(std::move(unseen)));
  if (before) filter.before = std::min(*before, filter.before);
  limit = std::min(limit, kMost);
  ASSIGN_OR_CO_RETURN(page.events,
                      co_await catalog_.ListNotifications(std::move(filter), limit + 1));
  page.more = page.events.size() > limit;
  if (page.more) page.events.pop_back();
  if (!page.events.empty()) page.latest = page.events.front().id;
  CO_RETURN_IF_ERROR(co_await AddReminders(std::move(by), page));
  if (before) std::erase_if(page.events, [](const Notification& each) { return each.id == 0; });
  co_return page;
}

// `page` belongs to the caller, who waits.
Task<void> Notifications::AddReminders(auth::Principal by, NotificationPage& page) {
  ASSIGN_OR_CO_RETURN(ExpiryReminders ending, co_await waiting_.FindReminders(std::move(by)));
  std::vector<Notification> reminders;
  auto add = [&](Notification each, UnixSeconds begins) {
    if (begins > page.seen.at) ++page.unseen;
    reminders.push_back(std::move(each));
  };
  for (TokenRecord& token : ending.tokens) {
    const UnixSeconds end = token.expires_at.value_or(0);
    add({.kind = NotificationKind::kTokenEnds, .address = std::move(token.name), .at = end},
        end - Seconds(kTokenEndsSoon));
  }
  for (EndingKey& key : ending.keys) {
    const UnixSeconds end = key.expires_at;
    add({.kind = NotificationKind::kKeyEnds,
         .of = WatchKind::kNamespace,
         .address = std::move(key.ns),
         .version = std::move(key.key_id),
         .at = end},
        end - Seconds(Waiting::kKeysBefore));
  }
  page.events.insert(page.events.begin(), std::make_move_iterator(reminders.begin()),
                     std::make_move_iterator(reminders.end()));
  co_return Status();
}

Task<void> Notifications::MarkSeen(auth::Principal by, std::uint64_t id) {
  CO_RETURN_IF_ERROR(RequireUser(by));
  const SeenMark mark{.id = id, .at = clock_.Now()};
  co_return co_await catalog_.MarkSeen(std::string(by.account_id()), mark);
}

// ---- mail

Task<MailAddress> Notifications::FindAddress(auth::Principal by) {
  CO_RETURN_IF_ERROR(RequireUser(by));
  co_return co_await addresses_.FindMailAddress(std::string(by.account_id()));
}

Task<void> Notifications::SetMailEnded(auth::Principal by, bool is_ended) {
  CO_RETURN_IF_ERROR(RequireUser(by));
  co_return co_await addresses_.SetMailEnded(std::string(by.account_id()), is_ended);
}

Task<void> Notifications::EndMailOf(std::string account_id) {
  return addresses_.SetMailEnded(std::move(account_id), true);
}

Task<void> Notifications::AskEmail(auth::Principal by, std::string email, std::string link) {
  CO_RETURN_IF_ERROR(RequireUser(by));
  CO_RETURN_IF_ERROR(CheckMailAddress(email));
  if (mail_ == nullptr) co_return FailUnavailable("this server sends no mail (mail.smtp)");
  const UnixSeconds now = clock_.Now();
  const UnixSeconds life = std::chrono::seconds(kConfirmWithin).count();
  const UnixSeconds between = std::chrono::seconds(kBetweenAsks).count();
  std::string id(by.account_id());
  ASSIGN_OR_CO_RETURN(MailAddress known, co_await addresses_.FindMailAddress(id));
  if (known.asked_until - life > now - between) {
    Error error{ErrorKind::kThrottled,
                "a mail with a link was sent less than a minute ago: wait, then try again",
                {}};
    error.retry_after = static_cast<unsigned>(between);
    co_return Failure(std::move(error));
  }
  const std::string key = auth::RandomSecret();
  CO_RETURN_IF_ERROR(
      co_await addresses_.AskEmail(std::move(id), email, auth::TokenSecret(key), now + life));
  std::string body = fmt::format(
      "{} asked to get the notifications of this registry at this address. To confirm it, open\n\n"
      "  {}?key={}\n\nwithin 24 hours and press the button. Otherwise nothing happens.\n",
      by.account->account.name, link, key);
  co_return co_await mail_->Send(std::move(email), "Confirm your e-mail address", std::move(body));
}

Task<std::string> Notifications::ConfirmEmail(Actor by, std::string key) {
  co_return co_await addresses_.ConfirmEmail(std::move(by), auth::TokenSecret(key), clock_.Now());
}

Task<void> Notifications::SetEmail(auth::Principal by, std::string user, std::string email) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  CO_RETURN_IF_ERROR(by.RequireAllNamespaces());
  if (!email.empty()) CO_RETURN_IF_ERROR(CheckMailAddress(email));
  co_return co_await addresses_.SetEmail(std::move(by.actor), std::move(user), std::move(email));
}

namespace {

// Returns whether there were more.
template <typename Thing>
bool CutToMost(std::vector<Thing>& things) {
  const bool more = things.size() > Waiting::kMost;
  if (more) things.erase(things.begin() + Waiting::kMost, things.end());
  return more;
}

}  // namespace

Task<ExpiryReminders> Waiting::FindReminders(auth::Principal by) {
  const UnixSeconds now = clock_.Now();
  const UnixSeconds from = now - std::chrono::seconds(kAfter).count();
  const UnixSeconds tokens_until = now + std::chrono::seconds(kTokenEndsSoon).count();
  const UnixSeconds keys_until = now + std::chrono::seconds(kKeysBefore).count();
  ExpiryReminders things;
  ASSIGN_OR_CO_RETURN(things.tokens, co_await tokens_.ListEnding(by, from, tokens_until));
  ASSIGN_OR_CO_RETURN(things.keys, co_await keys_.ListEnding(std::move(by), from, keys_until));
  things.has_more_tokens = CutToMost(things.tokens);
  things.has_more_keys = CutToMost(things.keys);
  co_return things;
}

}  // namespace koya::service
