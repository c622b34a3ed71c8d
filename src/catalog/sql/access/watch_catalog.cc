#include "catalog/notification_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/readable_condition.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/account_record.h"
#include "domain/watch_record.h"

namespace koya::sql {
namespace {

constexpr Statement kWatchedModule{
    "find_watched_module",
    "SELECT namespace || '/' || name || '/' || system FROM module WHERE address_key = :key"};
constexpr Statement kWatchedProvider{"find_watched_provider",
                                     "SELECT address FROM provider WHERE address = :key"};
constexpr Statement kWatchedNamespace{"find_watched_namespace",
                                      "SELECT name FROM namespace WHERE name_key = :key"};
constexpr Statement kChangeWatch{"change_watch",
                                 "UPDATE watch SET mail = COALESCE(NULLIF(:mail, ''), mail) "
                                 "WHERE account_id = :account_id AND subject = :subject"};
constexpr Statement kCountWatches{"count_watches",
                                  "SELECT COUNT(*) FROM watch WHERE account_id = :account_id"};
constexpr Statement kAddWatch{
    "add_watch",
    "INSERT INTO watch (account_id, subject, namespace_key, address, mail, created_at) VALUES "
    "(:account_id, :subject, :namespace_key, :address, COALESCE(NULLIF(:mail, ''), 'off'), "
    ":created_at) ON CONFLICT DO NOTHING"};
constexpr Statement kRemoveWatch{
    "remove_watch", "DELETE FROM watch WHERE account_id = :account_id AND subject = :subject"};
#define KOYA_READ_WATCH "SELECT subject, namespace_key, address, mail, created_at FROM watch "
constexpr Statement kFindWatch{
    "find_watch", KOYA_READ_WATCH "WHERE account_id = :account_id AND subject = :subject"};
constexpr Statement kListWatches{"list_watches",
                                 KOYA_READ_WATCH "WHERE account_id = :account_id ORDER BY subject"};
#undef KOYA_READ_WATCH

// Entries of the namespaces that are watched, or have something that is; of these the ones about
// it. The first condition bounds the walk through the index by id: ids grow with time.
constexpr std::string_view kEvents =
    "SELECT a.id, a.action, a.target, a.at FROM (SELECT DISTINCT n.namespace_key FROM watch n "
    "WHERE n.account_id = :account) watched CROSS JOIN audit a "
    "WHERE a.namespace = watched.namespace_key AND a.id >= (SELECT b.id FROM audit b "
    "WHERE b.at >= :since ORDER BY b.at, b.id LIMIT 1) AND a.id > :after AND a.id < :before "
    "AND a.at >= :since_at AND a.kind = 'change' AND a.action IN ('module.publish', "
    "'module.deprecate', 'module.withdraw', 'module.restore', 'provider.publish', "
    "'provider.deprecate', 'provider.withdraw', 'provider.restore') "
    "AND (a.after_change <> '' OR a.action NOT IN ('module.deprecate', 'provider.deprecate')) "
    "AND EXISTS (SELECT 1 FROM watch w WHERE w.account_id = :watcher AND w.subject IN "
    "('namespace:' || a.namespace, "
    "lower(substr(a.target, 1, {{place in}}(a.target, '@') - 1)))";
constexpr std::string_view kWithMail = " AND w.mail = :mail AND a.at >= w.created_at";
constexpr std::string_view kEventsPage = " ORDER BY a.id DESC LIMIT :limit";

// Principals by the names that usage has for them: those that are given, and service accounts by
// who created them, in a session or with a token.
constexpr std::string_view kUsedDeprecations =
    "SELECT a.id, a.action, a.target, a.at FROM audit a WHERE a.id > :after AND a.id < :before "
    "AND a.at >= :since AND a.kind = 'change' AND "
    "a.action IN ('module.deprecate', 'provider.deprecate') AND a.after_change <> '' "
    "AND EXISTS (SELECT 1 FROM usage_item i JOIN usage_day d ON d.item = i.id AND d.day >= :day "
    "JOIN usage_name p ON p.id = d.principal AND p.kind = 1 WHERE "
    "i.kind = CASE a.action WHEN 'module.deprecate' THEN 1 ELSE 2 END AND "
    "i.address = lower(substr(a.target, {{place in}}(a.target, ':') + 1, "
    "{{place in}}(a.target, '@') - {{place in}}(a.target, ':') - 1)) AND "
    "i.version = substr(a.target, {{place in}}(a.target, '@') + 1) AND "
    "(p.name IN (SELECT element FROM {{elements of}} :names {{end of elements}}) OR p.name IN "
    "(SELECT 'service:' || s.name FROM account s JOIN account me ON me.id = :id WHERE "
    "s.kind = 'service' AND (s.created_by = me.name OR s.created_by IN "
    "(SELECT t.name FROM token t WHERE t.account_id = me.id)))))";

constexpr Statement kFindSeen{"find_seen_notifications",
                              "SELECT seen_id, seen_at FROM notified_user WHERE account_id = :id"};
constexpr Statement kMarkSeen{
    "mark_notifications_seen",
    "INSERT INTO notified_user (account_id, seen_id, seen_at) "
    "SELECT id, CAST(:seen_id AS BIGINT), CAST(:seen_at AS BIGINT) FROM account WHERE id = :id "
    "ON CONFLICT (account_id) DO UPDATE SET seen_at = excluded.seen_at, "
    "seen_id = CASE WHEN excluded.seen_id > notified_user.seen_id THEN excluded.seen_id "
    "ELSE notified_user.seen_id END"};

std::string SubjectText(const WatchSubject& subject) {
  return fmt::format("{}:{}", WatchKindName(subject.kind), subject.key);
}

Failure NoWatched(const WatchSubject& subject) {
  return FailNotFound("there is no {} \"{}\"", WatchKindName(subject.kind), Printable(subject.key));
}

const Statement& FindingOf(WatchKind kind) {
  switch (kind) {
    case WatchKind::kModule:
      return kWatchedModule;
    case WatchKind::kProvider:
      return kWatchedProvider;
    case WatchKind::kNamespace:
      return kWatchedNamespace;
  }
  return kWatchedNamespace;
}

// Of a query of KOYA_READ_WATCH, whose values are all used.
Result<std::vector<WatchRecord>> ReadWatches(Query& query) {
  std::vector<WatchRecord> watches;
  std::string subject, ns, address, mail;
  std::int64_t at = 0;
  query.Into(subject).Into(ns).Into(address).Into(mail).Into(at);
  while (query.Next()) {
    const auto kind = ParseWatchKind(std::string_view(subject).substr(0, subject.find(':')));
    const auto when = ParseWatchMail(mail);
    if (!kind || !when) return Fail(ErrorKind::kCorrupt, "a stored watch is invalid", subject);
    watches.push_back({.kind = *kind, .address = address, .ns = ns, .mail = *when, .since = at});
  }
  return watches;
}

Result<std::string> FindWatched(Session& session, const WatchSubject& subject) {
  if (!IsStorable(subject.key)) return NoWatched(subject);
  std::string address;
  Query query(session, FindingOf(subject.kind));
  query.Use(subject.key).Into(address);
  if (!query.Next()) return NoWatched(subject);
  return address;
}

Status AddWatch(Session& session, const std::string& account_id, const WatchSubject& subject,
                std::string_view mail, UnixSeconds at) {
  ASSIGN_OR_RETURN(std::string address, FindWatched(session, subject));
  RETURN_IF_ERROR(HoldAccount(session, account_id, "the watch"));
  std::int64_t count = 0;
  {
    Query query(session, kCountWatches);
    query.Use(account_id).Into(count).Next();
  }
  if (count >= WatchCatalog::kMostWatches) {
    return FailConflict(
        "you watch {} modules, providers and namespaces, which is the most: end a watch first, or "
        "watch a namespace instead of all that is in it",
        count);
  }
  Query query(session, kAddWatch);
  query.Use(account_id).Use(SubjectText(subject)).Use(subject.ns).Use(address).Use(mail).Use(at);
  query.Run();
  return {};
}

Result<WatchRecord> PutWatch(Session& session, const std::string& account_id,
                             const WatchSubject& subject, std::optional<WatchMail> mail,
                             UnixSeconds at) {
  const std::string_view when = mail ? WatchMailName(*mail) : std::string_view();
  std::int64_t changed = 0;
  if (IsStorable(subject.key)) {
    Query query(session, kChangeWatch);
    changed = query.Use(when).Use(account_id).Use(SubjectText(subject)).Run();
  }
  if (changed == 0) RETURN_IF_ERROR(AddWatch(session, account_id, subject, when, at));
  Query query(session, kFindWatch);
  query.Use(account_id).Use(SubjectText(subject));
  ASSIGN_OR_RETURN(std::vector<WatchRecord> watches, ReadWatches(query));
  if (watches.empty()) return NoWatched(subject);
  return std::move(watches.front());
}

Status RemoveWatch(Session& session, const std::string& account_id, const WatchSubject& subject) {
  std::int64_t removed = 0;
  if (IsStorable(subject.key)) {
    Query query(session, kRemoveWatch);
    removed = query.Use(account_id).Use(SubjectText(subject)).Run();
  }
  if (removed > 0) return {};
  return FailNotFound("you do not watch the {} \"{}\"", WatchKindName(subject.kind),
                      Printable(subject.key));
}

Result<std::vector<WatchRecord>> ListWatches(Session& session, const std::string& account_id) {
  Query query(session, kListWatches);
  query.Use(account_id);
  return ReadWatches(query);
}

// ---- what happened

// Rows of the table audit under the alias a, whose namespaces are looked up in a set.
constexpr ListedRows kAuditRows{
    .place = "a.namespace", .ending = "", .order = "", .key = "", .table = "", .looked_up = true};

// The rest of the statement, with the parameter of the limit at its end, is the caller's.
std::string EventsText(const NotificationFilter& filter, const ReadableCondition& readable) {
  std::string text(kEvents);
  if (filter.mail) text += kWithMail;
  return text.append(")").append(readable.Text());
}

void UseEvents(Query& query, const NotificationFilter& filter, const ReadableCondition& readable) {
  query.Use(filter.account_id).Use(filter.since);
  query.Use(static_cast<std::int64_t>(filter.after)).Use(static_cast<std::int64_t>(filter.before));
  query.Use(filter.since).Use(filter.account_id);
  if (filter.mail) query.Use(WatchMailName(*filter.mail));
  readable.Use(query);
}

// Of "module.publish" and "module:acme/vpc/aws@1.0.0".
Result<Notification> ReadNotification(std::string_view action, std::string_view target) {
  constexpr std::array<std::pair<std::string_view, NotificationKind>, 4> kKinds{
      {{"publish", NotificationKind::kPublished},
       {"deprecate", NotificationKind::kDeprecated},
       {"withdraw", NotificationKind::kWithdrawn},
       {"restore", NotificationKind::kRestored}}};
  const std::size_t dot = action.find('.'), colon = target.find(':'), at = target.find('@');
  const auto of = ParseWatchKind(action.substr(0, dot));
  const auto* kind = std::ranges::find(kKinds, action.substr(std::min(dot + 1, action.size())),
                                       &decltype(kKinds)::value_type::first);
  if (!of || kind == kKinds.end() || colon == target.npos || at == target.npos || at < colon) {
    return Fail(ErrorKind::kCorrupt, "an audit entry of a version is invalid", std::string(target));
  }
  return Notification{.kind = kind->second,
                      .of = *of,
                      .address = std::string(target.substr(colon + 1, at - colon - 1)),
                      .version = std::string(target.substr(at + 1))};
}

// Of a query for id, action, target and at, whose values are all used.
Result<std::vector<Notification>> ReadNotifications(Query& query) {
  std::vector<Notification> found;
  std::string action, target;
  std::int64_t id = 0, at = 0;
  query.Into(id).Into(action).Into(target).Into(at);
  while (query.Next()) {
    ASSIGN_OR_RETURN(Notification each, ReadNotification(action, target));
    each.id = static_cast<std::uint64_t>(id);
    each.at = at;
    found.push_back(std::move(each));
  }
  return found;
}

Result<std::vector<Notification>> ListNotifications(Session& session,
                                                    const NotificationFilter& filter,
                                                    std::uint64_t limit) {
  const ReadableCondition readable(filter.readable, kAuditRows);
  const std::string text = EventsText(filter, readable).append(kEventsPage);
  Query query(session, Statement{"list_notifications", text});
  UseEvents(query, filter, readable);
  query.Use(static_cast<std::int64_t>(std::min<std::uint64_t>(limit, 1000)));
  return ReadNotifications(query);
}

Result<std::vector<Notification>> ListUsedDeprecations(Session& session,
                                                       const NotificationFilter& filter,
                                                       const std::vector<std::string>& principals,
                                                       std::int64_t since_day,
                                                       std::uint64_t limit) {
  const ReadableCondition readable(filter.readable, kAuditRows);
  const std::string text =
      fmt::format("{}{} ORDER BY a.id DESC LIMIT :limit", kUsedDeprecations, readable.Text());
  const std::string names = JsonList(principals);
  Query query(session, Statement{"list_used_deprecations", text});
  query.Use(static_cast<std::int64_t>(filter.after)).Use(static_cast<std::int64_t>(filter.before));
  query.Use(filter.since).Use(since_day).Use(names).Use(filter.account_id);
  readable.Use(query);
  query.Use(static_cast<std::int64_t>(std::min<std::uint64_t>(limit, 1000)));
  return ReadNotifications(query);
}

Result<std::uint64_t> CountNotifications(Session& session, const NotificationFilter& filter) {
  const ReadableCondition readable(filter.readable, kAuditRows);
  const std::string text =
      fmt::format("SELECT COUNT(*) FROM ({} LIMIT :limit) counted", EventsText(filter, readable));
  std::int64_t count = 0;
  Query query(session, Statement{"count_notifications", text});
  UseEvents(query, filter, readable);
  query.Use(static_cast<std::int64_t>(WatchCatalog::kMostCounted));
  query.Into(count).Next();
  return static_cast<std::uint64_t>(count);
}

Result<SeenMark> FindSeen(Session& session, const std::string& account_id) {
  std::int64_t id = 0, at = 0;
  Query query(session, kFindSeen);
  query.Use(account_id).Into(id).Into(at);
  if (!query.Next()) return SeenMark();
  return SeenMark{.id = static_cast<std::uint64_t>(id), .at = at};
}

Status MarkSeen(Session& session, const std::string& account_id, SeenMark mark) {
  Query query(session, kMarkSeen);
  query.Use(static_cast<std::int64_t>(mark.id)).Use(mark.at).Use(account_id).Run();
  return {};
}

}  // namespace
}  // namespace koya::sql

namespace koya {

Task<WatchRecord> WatchCatalog::PutWatch(std::string account_id, WatchSubject subject,
                                         std::optional<WatchMail> mail, UnixSeconds at) {
  return transactions_.Write(&sql::PutWatch, std::move(account_id), std::move(subject), mail, at);
}

Task<void> WatchCatalog::RemoveWatch(std::string account_id, WatchSubject subject) {
  return transactions_.Write(&sql::RemoveWatch, std::move(account_id), std::move(subject));
}

Task<std::vector<WatchRecord>> WatchCatalog::ListWatches(std::string account_id) {
  return transactions_.Read(&sql::ListWatches, std::move(account_id));
}

Task<std::vector<Notification>> WatchCatalog::ListNotifications(NotificationFilter filter,
                                                                std::uint64_t limit) {
  return transactions_.Read(&sql::ListNotifications, std::move(filter), limit);
}

Task<std::vector<Notification>> MailCatalog::ListUsedDeprecations(
    NotificationFilter filter, std::vector<std::string> principals, std::int64_t since_day,
    std::uint64_t limit) {
  return transactions_.Read(&sql::ListUsedDeprecations, std::move(filter), std::move(principals),
                            since_day, limit);
}

Task<std::uint64_t> WatchCatalog::CountNotifications(NotificationFilter filter) {
  return transactions_.Read(&sql::CountNotifications, std::move(filter));
}

Task<SeenMark> WatchCatalog::FindSeen(std::string account_id) {
  return transactions_.Read(&sql::FindSeen, std::move(account_id));
}

Task<void> WatchCatalog::MarkSeen(std::string account_id, SeenMark mark) {
  return transactions_.Write(&sql::MarkSeen, std::move(account_id), mark);
}

}  // namespace koya
