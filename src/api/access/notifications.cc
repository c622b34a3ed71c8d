// What users watch, and their notifications: /api/v1/watches, /api/v1/notifications, and the page
// /-/notifications.
#include "service/operate/notifications.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/page_form.h"
#include "api/common/page_number.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/text.h"
#include "domain/module_address.h"
#include "domain/name_rules.h"
#include "domain/namespace_record.h"
#include "domain/provider_address.h"
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
  co_return JsonReply(200, wire::Encode(list));
}

Task<http::Response> MarkSeen(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::SeenRequest seen, wire::Decode<wire::SeenRequest>(body));
  CO_RETURN_IF_ERROR(co_await call.services.notifications.MarkSeen(call.principal, seen.latest));
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

Task<Outcome> ChangeNotifications(FormPage& page) {
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

}  // namespace

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
          "/-/notifications", "Start or end a watch, or mark notifications as seen"),
  };
  return kRoutes;
}

}  // namespace koya::api
