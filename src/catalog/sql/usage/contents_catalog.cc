#include "catalog/sql/usage/contents_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/search/search_entries.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kFindContents{"find_contents",
                                  "SELECT reader, body FROM module_contents "
                                  "WHERE module_key = :module_key AND version = :version"};
constexpr Statement kMeasureContents{"measure_contents",
                                     "SELECT reader, size FROM module_contents "
                                     "WHERE module_key = :module_key AND version = :version"};
constexpr Statement kPutContents{
    "put_contents",
    "INSERT INTO module_contents (module_key, version, reader, body, size) "
    "VALUES (:module_key, :version, :reader, :body, :size) "
    "ON CONFLICT (module_key, version) DO UPDATE SET reader = excluded.reader, "
    "body = excluded.body, size = excluded.size WHERE module_contents.reader <= excluded.reader"};
constexpr Statement kForgetContents{
    "forget_contents",
    "DELETE FROM module_contents WHERE module_key = :module_key AND version = :version"};
// The row is kept: it is not withdrawn meanwhile.
constexpr Statement kLockPublished{
    "lock_version_to_read",
    "SELECT 1 FROM module m JOIN module_version v ON v.module_id = m.id "
    "WHERE m.address_key = :key AND v.version = :version AND v.withdrawn_at IS NULL {{for "
    "update}}"};
constexpr Statement kLockMirrored{
    "lock_upstream_version_to_read",
    "SELECT v.held FROM upstream_module m JOIN upstream_module_version v ON v.module_id = m.id "
    "WHERE m.module_key = :key AND v.version = :version {{for no key update}}"};

#define KOYA_UNREAD_HERE                                                                    \
  " FROM module_version v JOIN module m ON m.id = v.module_id LEFT JOIN module_contents c " \
  "ON c.module_key = m.address_key AND c.version = v.version WHERE v.withdrawn_at IS NULL " \
  "AND (c.reader IS NULL OR c.reader < :reader)"
#define KOYA_UNREAD_MIRRORED                                                              \
  " FROM upstream_module_version v JOIN upstream_module m ON m.id = v.module_id "         \
  "LEFT JOIN module_contents c ON c.module_key = m.module_key AND c.version = v.version " \
  "WHERE v.held = 1 AND (c.reader IS NULL OR c.reader < :reader_there)"
#define KOYA_UNREAD_COLUMNS \
  "m.namespace, m.name, m.system, v.version, v.archive_kind, v.digest, v.size"

constexpr Statement kCountUnread{"count_unread_versions",
                                 "SELECT (SELECT COUNT(*)" KOYA_UNREAD_HERE
                                 ") + (SELECT COUNT(*)" KOYA_UNREAD_MIRRORED ")"};

using PlaceCell =
    MembersCell<UnreadModule::Place, &UnreadModule::Place::mirrored, &UnreadModule::Place::row>;
using SubjectCell = MembersCell<ModuleSubject, &ModuleSubject::host, &ModuleSubject::address,
                                &ModuleSubject::version>;
constexpr auto kUnreadColumns = Columns<UnreadModule>(
    [] {
      return UnreadModule{.subject = {.host = {}, .address = Blank(), .version = Blank()},
                          .digest = Blank()};
    },
    ReadColumn<&UnreadModule::place, PlaceCell>("mirrored", "id"),
    ReadColumn<&UnreadModule::subject, SubjectCell>("host", "namespace", "name", "system",
                                                    "version"),
    ReadColumn<&UnreadModule::kind>("archive_kind"), ReadColumn<&UnreadModule::digest>("digest"),
    ReadColumn<&UnreadModule::size>("size"));

// Each half ends early by itself.
constexpr auto kListUnread =
    Sql("list_unread_versions", "SELECT ", kSelect<kUnreadColumns>,
        " FROM (SELECT * FROM (SELECT 0 AS mirrored, v.id AS id, '' AS "
        "host, " KOYA_UNREAD_COLUMNS KOYA_UNREAD_HERE
        " AND v.id > :after ORDER BY v.id LIMIT :most_here) here UNION ALL "
        "SELECT * FROM (SELECT 1 AS mirrored, v.id AS id, "
        "m.host, " KOYA_UNREAD_COLUMNS KOYA_UNREAD_MIRRORED
        " AND v.id > :after_there ORDER BY v.id LIMIT :most_there) there) unread "
        "ORDER BY mirrored, id LIMIT :limit");

Failure NotRead(const ModuleSubject& subject) {
  return FailNotFound("the contents of {} {} are not analyzed yet", subject.Key(),
                      subject.version.ToString());
}

Status CheckContents(const ContentsRecord& contents) {
  if (contents.body.size() > kLongestContents) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("the module's contents take {} bytes as JSON: the limit is {}",
                            contents.body.size(), kLongestContents));
  }
  return CheckStorable("the module's contents", contents.body);
}

Result<ContentsRecord> FindContents(Session& session, const ModuleSubject& subject) {
  std::int64_t reader = 0;
  ContentsRecord contents;
  Query query(session, kFindContents);
  query.Use(subject.Key()).Use(subject.version.ToString()).Into(reader).Into(contents.body);
  if (!query.Next()) return NotRead(subject);
  contents.reader = static_cast<std::uint64_t>(reader);
  return contents;
}

Result<ContentsSize> MeasureContents(Session& session, const ModuleSubject& subject) {
  std::int64_t reader = 0;
  std::int64_t bytes = 0;
  Query query(session, kMeasureContents);
  query.Use(subject.Key()).Use(subject.version.ToString()).Into(reader).Into(bytes);
  if (!query.Next()) return NotRead(subject);
  return ContentsSize{static_cast<std::uint64_t>(reader), static_cast<std::uint64_t>(bytes)};
}

// Whether a better reader's was there, which stays.
bool WriteContents(Session& session, const ModuleSubject& subject, const ContentsRecord& contents) {
  Query query(session, kPutContents);
  query.Use(subject.Key()).Use(subject.version.ToString());
  query.Use(static_cast<std::int64_t>(contents.reader)).Use(contents.body);
  query.Use(static_cast<std::int64_t>(contents.body.size()));
  return query.Run() == 0;
}

Status PutEntries(Session& session, const ModuleSubject& subject, const VersionExtras& extras) {
  if (!extras.entries) return {};
  return PutSearchEntries(
      session,
      subject.IsPublishedHere()
          ? SearchSubject::Of(subject.address, subject.version)
          : SearchSubject::Mirrored(subject.host, subject.address, subject.version),
      *extras.entries);
}

// Whether its bytes are held; nothing when it is not there.
std::optional<bool> LockVersion(Session& session, const ModuleSubject& subject) {
  std::int64_t held = 0;
  Query query(session, subject.IsPublishedHere() ? kLockPublished : kLockMirrored);
  query.Use(subject.Key()).Use(subject.version.ToString()).Into(held);
  if (!query.Next()) return std::nullopt;
  return held == 1;
}

Status PutContents(Session& session, const ModuleSubject& subject, const VersionExtras& extras) {
  const std::optional<bool> held = LockVersion(session, subject);
  if (!held) {
    return FailNotFound("{} {} is no longer here", subject.Key(), subject.version.ToString());
  }
  if (extras.contents) {
    RETURN_IF_ERROR(CheckContents(*extras.contents));
    if (WriteContents(session, subject, *extras.contents)) return {};
  }
  if (*held) RETURN_IF_ERROR(PutEntries(session, subject, extras));
  AppendChange(session, subject.IsPublishedHere() ? ModuleTopic(subject.address)
                                                  : MirrorTopic(subject.Key()));
  return {};
}

Result<std::vector<UnreadModule>> ListUnread(Session& session, std::uint64_t reader,
                                             const std::optional<UnreadModule::Place>& after,
                                             std::uint64_t limit) {
  const auto most = static_cast<std::int64_t>(std::min(limit, ContentsCatalog::kMostUnread));
  const auto number = static_cast<std::int64_t>(reader);
  constexpr std::int64_t kPastAll = std::numeric_limits<std::int64_t>::max();
  const UnreadModule::Place place = after.value_or(UnreadModule::Place{});
  Query query(session, kListUnread);
  query.Use(number).Use(place.mirrored ? kPastAll : place.row).Use(most);
  query.Use(number).Use(place.mirrored ? place.row : 0).Use(most).Use(most);
  return ReadRecords(query, kUnreadColumns);
}

Result<std::uint64_t> CountUnread(Session& session, std::uint64_t reader) {
  std::int64_t count = 0;
  Query query(session, kCountUnread);
  const auto number = static_cast<std::int64_t>(reader);
  query.Use(number).Use(number).Into(count);
  query.Next();
  return static_cast<std::uint64_t>(count);
}

}  // namespace

Status PutExtras(Session& session, const ModuleSubject& subject, const VersionExtras& extras) {
  if (extras.contents) {
    RETURN_IF_ERROR(CheckContents(*extras.contents));
    WriteContents(session, subject, *extras.contents);
  }
  return PutEntries(session, subject, extras);
}

void ForgetContents(Session& session, const ModuleSubject& subject) {
  Query query(session, kForgetContents);
  query.Use(subject.Key()).Use(subject.version.ToString()).Run();
}

}  // namespace koya::sql

namespace koya {

Task<ContentsRecord> ContentsCatalog::FindContents(ModuleSubject subject) {
  return transactions_.Read(&sql::FindContents, std::move(subject));
}

Task<ContentsSize> ContentsCatalog::MeasureContents(ModuleSubject subject) {
  return transactions_.Read(&sql::MeasureContents, std::move(subject));
}

Task<void> ContentsCatalog::PutContents(ModuleSubject subject, VersionExtras extras) {
  return transactions_.Write(&sql::PutContents, std::move(subject), std::move(extras));
}

Task<std::vector<UnreadModule>> ContentsCatalog::ListUnread(
    std::uint64_t reader, std::optional<UnreadModule::Place> after, std::uint64_t limit) {
  return transactions_.Read(&sql::ListUnread, reader, after, limit);
}

Task<std::uint64_t> ContentsCatalog::CountUnread(std::uint64_t reader) {
  return transactions_.Read(&sql::CountUnread, reader);
}

}  // namespace koya
