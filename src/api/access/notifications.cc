// What users watch, and their notifications: /api/v1/watches, /api/v1/notifications, and the page
// /-/notifications.
#include "service/operate/notifications.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/denials.h"
#include "api/common/page_form.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "api/routes.h"
#include "auth/browser_tokens.h"
#include "base/text.h"
#include "domain/module_address.h"
#include "domain/name_rules.h"
#include "domain/namespace_record.h"
#include "domain/provider_address.h"
#include "obs/log.h"
#include "web/access/account_pages.h"
#include "wire/notifications.h"

namespace koya::api {
namespace {

constexpr std::size_t kEventsShown = 50;
constexpr std::size_t kWatchesShown = 200;

Result<WatchSubject> SubjectOf(WatchKind kind, std::string_view address) {
  switch (kind) {
    case WatchKind::kModule: {
      ASSIGN_OR_RETURN(ModuleAddress module, ModuleAddress::Parse(address));
      return WatchSubject{kind, module.Key(), NamespaceKey(module.ns())};
    }
    case WatchKind::kProvider: {
      ASSIGN_OR_RETURN(ProviderAddress provider, ProviderAddress::Parse(address));
      return WatchSubject{kind, provider.ToString(), NamespaceKey(provider.ns())};
    }
    case WatchKind::kNamespace: {
      ASSIGN_OR_RETURN(std::string ns, ParseNamespaceName(address));
      return WatchSubject{kind, NamespaceKey(ns), NamespaceKey(ns)};
    }
  }
  return FailInvalid("unknown kind");
}

template <WatchKind kKind>
Result<WatchSubject> SubjectFromPath(const Call& call) {
  if constexpr (kKind == WatchKind::kModule) {
    ASSIGN_OR_RETURN(ModuleAddress module, call.ModuleFromPath());
    return SubjectOf(kKind, module.ToString());
  } else if constexpr (kKind == WatchKind::kProvider) {
    ASSIGN_OR_RETURN(ProviderAddress provider, call.ProviderFromPath());
    return SubjectOf(kKind, provider.ToString());
  } else {
    return SubjectOf(kKind, call.path("namespace"));
  }
}

// nullopt: "", as before.
Result<std::optional<WatchMail>> ReadWatchMail(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::optional<WatchMail> mail = ParseWatchMail(text);
  if (mail) return mail;
  return FailInvalid("\"mail\" is \"{}\": use now, daily or off", Printable(text, 40));
}

wire::Watch ToWire(const WatchRecord& record) {
  return {.kind = std::string(WatchKindName(record.kind)),
          .address = record.address,
          .mail = std::string(WatchMailName(record.mail)),
          .since = FormatRfc3339(record.since)};
}

bool IsUnseen(const Notification& event, const service::NotificationPage& page) {
  return event.id > page.seen.id;
}

wire::NotificationEvent ToWire(const Notification& event, const service::NotificationPage& page) {
  const bool of_token = event.kind == NotificationKind::kTokenEnds;
  return {.kind = std::string(NotificationKindName(event.kind)),
          .of = of_token ? "token" : std::string(WatchKindName(event.of)),
          .address = event.address,
          .version = event.version,
          .at = FormatRfc3339(event.at),
          .unseen = IsUnseen(event, page)};
}

http::Response EmptyAnswer() {
  http::Response reply;
  reply.status = 204;
  return reply;
}

template <WatchKind kKind>
Task<http::Response> PutWatch(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::WatchRequest wanted, wire::Decode<wire::WatchRequest>(body));
  ASSIGN_OR_CO_RETURN(std::optional<WatchMail> mail, ReadWatchMail(wanted.mail));
  ASSIGN_OR_CO_RETURN(WatchSubject subject, SubjectFromPath<kKind>(call));
  ASSIGN_OR_CO_RETURN(WatchRecord watch, co_await call.services.notifications.Watch(
                                             call.principal, std::move(subject), mail));
  co_return JsonReply(200, wire::Encode(ToWire(watch)));
}

template <WatchKind kKind>
Task<http::Response> EndWatch(Call& call) {
  ASSIGN_OR_CO_RETURN(WatchSubject subject, SubjectFromPath<kKind>(call));
  CO_RETURN_IF_ERROR(
      co_await call.services.notifications.EndWatch(call.principal, std::move(subject)));
  co_return EmptyAnswer();
}

Task<http::Response> ListWatches(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<WatchRecord> watches,
                      co_await call.services.notifications.ListWatches(call.principal));
  wire::WatchList list;
  for (const WatchRecord& each : watches) list.items.push_back(ToWire(each));
  co_return JsonReply(200, wire::Encode(list));
}

// `before` of the query; nullopt: the first page.
Result<std::optional<std::uint64_t>> ReadBefore(const Call& call) {
  ASSIGN_OR_RETURN(std::uint64_t before, QueryNumber(call.request().query, "before", 0));
  return before == 0 ? std::nullopt : std::optional(before);
}

Task<http::Response> ListNotifications(Call& call) {
  ASSIGN_OR_CO_RETURN(std::optional<std::uint64_t> before, ReadBefore(call));
  ASSIGN_OR_CO_RETURN(std::uint64_t limit,
                      QueryNumber(call.request().query, "limit", kEventsShown));
  ASSIGN_OR_CO_RETURN(service::NotificationPage page,
                      co_await call.services.notifications.List(call.principal, before, limit));
  wire::NotificationList list{.events = {}, .unseen = page.unseen, .latest = page.latest};
  for (const Notification& each : page.events) list.events.push_back(ToWire(each, page));
  if (page.more) list.before = page.events.back().id;
  ASSIGN_OR_CO_RETURN(MailAddress address,
                      co_await call.services.notifications.FindAddress(call.principal));
  list.email = std::move(address.email);
  list.mail_ended = address.is_ended;
  co_return JsonReply(200, wire::Encode(list));
}

Task<http::Response> MarkSeen(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::SeenRequest seen, wire::Decode<wire::SeenRequest>(body));
  CO_RETURN_IF_ERROR(co_await call.services.notifications.MarkSeen(call.principal, seen.latest));
  co_return EmptyAnswer();
}

Task<http::Response> SetEmail(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [email], wire::Decode<wire::EmailRequest>(body));
  std::string user(call.path("name"));
  CO_RETURN_IF_ERROR(
      co_await call.services.notifications.SetEmail(call.principal, user, std::move(email)));
  call.services.log.Info(
      "e-mail address set",
      {{"request_id", call.request().request_id}, {"by", call.principal.name}, {"user", user}});
  co_return EmptyAnswer();
}

// ---- the page

Task<std::string> ShowNotifications(FormPage& page) {
  ASSIGN_OR_CO_RETURN(std::optional<std::uint64_t> before, ReadBefore(page.call));
  ASSIGN_OR_CO_RETURN(service::NotificationPage found,
                      co_await page.services.notifications.List(page.by, before, kEventsShown));
  web::NotificationsPage shown{.unseen = found.unseen,
                               .latest = found.latest,
                               .is_beginning = !before,
                               .errors = page.errors};
  if (found.more) shown.older = found.events.back().id;
  for (Notification& each : found.events) {
    const bool unseen = IsUnseen(each, found);
    shown.events.push_back({std::move(each), unseen});
  }
  ASSIGN_OR_CO_RETURN(shown.watches, co_await page.services.notifications.ListWatches(page.by));
  shown.watches_left_out = CutTo(shown.watches, kWatchesShown);
  shown.sends_mail = page.services.notifications.sends_mail();
  ASSIGN_OR_CO_RETURN(shown.address, co_await page.services.notifications.FindAddress(page.by));
  shown.typed_email = page.form.Get("email");
  co_return web::RenderNotifications(page.visit.Frame(), shown);
}

Task<Outcome> ChangeWatch(FormPage& page, WatchSubject subject) {
  const std::string address = page.form.Get("address");
  const std::string to(web::kNotificationsAddress);
  service::Notifications& notifications = page.services.notifications;
  if (page.form.Get("do") == "end") {
    const Status ended = co_await notifications.EndWatch(page.by, std::move(subject));
    co_return page.Removed(ended, to, {.removed = "watch_ended", .gone = "watch_gone"}, address);
  }
  ASSIGN_OR_CO_RETURN(std::optional<WatchMail> mail, ReadWatchMail(page.form.Get("mail")));
  Result<WatchRecord> watch = co_await notifications.Watch(page.by, std::move(subject), mail);
  if (!watch) co_return page.Reject("", watch.error());
  co_return page.Done(to, "watched", watch->address);
}

// A link to a page of this registry, in a mail.
std::string LinkTo(const Services& services, std::string_view path) {
  return services.url + std::string(path);
}

Task<Outcome> ChangeMail(FormPage& page) {
  const std::string to(web::kNotificationsAddress);
  if (page.form.Get("do") != "email") {
    const bool ends = page.form.Get("do") == "mail_off";
    CO_RETURN_IF_ERROR(co_await page.services.notifications.SetMailEnded(page.by, ends));
    co_return page.Done(to, "saved");
  }
  const std::string email = page.form.Get("email");
  const Status asked = co_await page.services.notifications.AskEmail(
      page.by, email, LinkTo(page.services, web::kConfirmEmailAddress));
  if (asked) co_return page.Done(to, "email_asked", email);
  page.log_detail = asked.error().message;
  const ErrorKind kind = asked.error().kind;
  if (kind == ErrorKind::kInvalid) {
    page.errors.Add("email", "email");
  } else if (kind == ErrorKind::kThrottled && asked.error().retry_after > 0) {
    page.status = 429;
    page.retry_after = asked.error().retry_after;
    page.errors.Add("email", "email_later");
  } else {
    page.status = 503;
    page.errors.Add("email", "email_unsent");
  }
  co_return kFormAgain;
}

Task<Outcome> ChangeNotifications(FormPage& page) {
  const std::string& what = page.form.Get("do");
  if (what == "email" || what == "mail_off" || what == "mail_on")
    co_return co_await ChangeMail(page);
  if (page.form.Get("do") == "seen") {
    std::uint64_t latest = 0;
    std::from_chars(page.form.Get("latest").data(),
                    page.form.Get("latest").data() + page.form.Get("latest").size(), latest);
    CO_RETURN_IF_ERROR(co_await page.services.notifications.MarkSeen(page.by, latest));
    co_return page.Done(std::string(web::kNotificationsAddress), "all_seen");
  }
  const std::optional<WatchKind> kind = ParseWatchKind(page.form.Get("kind"));
  if (!kind) co_return FailInvalid("the form names no module, provider or namespace");
  ASSIGN_OR_CO_RETURN(WatchSubject subject, SubjectOf(*kind, page.form.Get("address")));
  co_return co_await ChangeWatch(page, std::move(subject));
}

// ---- links in mails, for browsers that are not signed in. A GET changes nothing: programs open
// links, too.

http::Response LinkPage(const PageContext& visit, const web::MailLinkPage& shown,
                        unsigned status = 200) {
  return visit.Page(status, web::RenderMailLink(visit.Frame(), shown));
}

// What the signature in such a link is about.
std::string EndOfMail(std::string_view account_id) {
  return "end of mail to " + std::string(account_id);
}

// The account whose mail the link ends. Fails: kNotFound: the signature is another's.
Result<std::string> AccountOfLink(const Call& call) {
  ASSIGN_OR_RETURN(auto id, QueryParameter(call.request().query, "user"));
  ASSIGN_OR_RETURN(auto key, QueryParameter(call.request().query, "key"));
  const bool good = id && key && call.services.sign_in.form_tokens.Check(EndOfMail(*id), *key);
  if (good) return *std::move(id);
  return FailNotFound("this link is not complete: copy all of it from the mail");
}

Task<http::Response> ShowMailEnd(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(std::string id, AccountOfLink(call));
  const std::string action = EndMailPath(call.services, id);
  co_return LinkPage(visit, {.state = web::MailLinkState::kMayEnd, .action = action});
}

Task<http::Response> EndMail(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(std::string id, AccountOfLink(call));
  CO_RETURN_IF_ERROR(co_await call.services.notifications.EndMailOf(std::move(id)));
  co_return LinkPage(visit, {.state = web::MailLinkState::kEnded});
}

Task<http::Response> ShowConfirmEmail(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(auto key, QueryParameter(call.request().query, "key"));
  co_return LinkPage(visit, {.state = web::MailLinkState::kMayConfirm,
                             .action = std::string(web::kConfirmEmailAddress),
                             .key = key.value_or("")});
}

Task<http::Response> ConfirmEmail(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadPageForm(call));
  Actor by = ActorOf({}, call.request());
  Result<std::string> confirmed =
      co_await call.services.notifications.ConfirmEmail(std::move(by), form.Get("key"));
  if (!confirmed && confirmed.error().kind == ErrorKind::kNotFound) {
    co_return LinkPage(visit, {.state = web::MailLinkState::kExpired}, 404);
  }
  CO_RETURN_IF_ERROR(confirmed);
  co_return LinkPage(visit, {.state = web::MailLinkState::kConfirmed});
}

}  // namespace

std::string EndMailPath(const Services& services, std::string_view account_id) {
  return fmt::format("{}?user={}&key={}", web::kEndMailAddress, account_id,
                     services.sign_in.form_tokens.For(EndOfMail(account_id)));
}

std::span<const Route> NotificationRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kWatchModule, Access::kSelf, BodyLimit::kSmall, PutWatch<WatchKind::kModule>,
                 "Watch a module"),
      Route::For(wire::kEndModuleWatch, Access::kSelf, BodyLimit::kNone,
                 EndWatch<WatchKind::kModule>, "End your watch of a module"),
      Route::For(wire::kWatchProvider, Access::kSelf, BodyLimit::kSmall,
                 PutWatch<WatchKind::kProvider>, "Watch a provider"),
      Route::For(wire::kEndProviderWatch, Access::kSelf, BodyLimit::kNone,
                 EndWatch<WatchKind::kProvider>, "End your watch of a provider"),
      Route::For(wire::kWatchNamespace, Access::kSelf, BodyLimit::kSmall,
                 PutWatch<WatchKind::kNamespace>, "Watch a namespace"),
      Route::For(wire::kEndNamespaceWatch, Access::kSelf, BodyLimit::kNone,
                 EndWatch<WatchKind::kNamespace>, "End your watch of a namespace"),
      Route::For(wire::kListWatches, Access::kSelf, ResourceScope::kNone, ListWatches,
                 "List what you watch"),
      Route::For(wire::kListNotifications, Access::kSelf, ResourceScope::kNone, ListNotifications,
                 "List your notifications"),
      Route::For(wire::kMarkNotificationsSeen, Access::kSelf, BodyLimit::kSmall, MarkSeen,
                 "Mark your notifications as seen"),
      PageRow<ShowNotifications>("/-/notifications", "Show your notifications and watches"),
      FormRow<ShowNotifications, ChangeNotifications>(
          "/-/notifications", "Start or end a watch or mail, or mark notifications as seen"),
      Route::For(wire::kSetEmail, Access::kAdmin, BodyLimit::kSmall, SetEmail,
                 "Set the e-mail address of a user"),
      Route::Get("/-/notifications/end", Access::kPage, ResourceScope::kNone, ShowMailEnd,
                 "Show the button that ends a user's mail"),
      Route::Post("/-/notifications/end", Access::kPage, BodyLimit::kForm, EndMail,
                  "End a user's mail (RFC 8058)"),
      Route::Get("/-/notifications/confirm", Access::kPage, ResourceScope::kNone, ShowConfirmEmail,
                 "Show the button that confirms an e-mail address"),
      Route::Post("/-/notifications/confirm", Access::kPage, BodyLimit::kForm, ConfirmEmail,
                  "Confirm an e-mail address"),
  };
  return kRoutes;
}

}  // namespace koya::api
