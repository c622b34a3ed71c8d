#include "catalog/sql/operate/storage_sums.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "catalog/sql/engine/query.h"
#include "domain/storage_sums.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kSumModules{
    "sum_module_archives",
    "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM module_version "
    "WHERE withdrawn_at IS NULL"};
constexpr Statement kSumPackages{
    "sum_provider_packages",
    "SELECT COUNT(*), CAST(COALESCE(SUM(p.size), 0) AS BIGINT) FROM provider_package p "
    "JOIN provider_release r ON r.id = p.release_id WHERE r.withdrawn_at IS NULL"};
constexpr Statement kSumDocs{
    "sum_provider_docs",
    "SELECT COUNT(*), CAST(COALESCE(SUM(COALESCE(i.docs_size, 0) + COALESCE(i.schema_size, 0)), 0) "
    "AS BIGINT) FROM release_inside i JOIN provider_release r ON r.id = i.release_id "
    "WHERE r.withdrawn_at IS NULL AND (i.docs_size IS NOT NULL OR i.schema_size IS NOT NULL)"};
constexpr Statement kSumMirrored{
    "sum_mirrored", "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM held_blob"};
constexpr Statement kSumDrafts{
    "sum_draft_files", "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM draft_file"};
constexpr Statement kSumObjects{
    "sum_objects",
    "SELECT state, COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT), MIN(at) FROM blob_object "
    "GROUP BY state"};

constexpr Statement kKeepStorageDay{
    "keep_storage_day",
    "INSERT INTO storage_day (day, modules, provider_packages, provider_docs, mirrored, drafts) "
    "VALUES (:day, :modules, :provider_packages, :provider_docs, :mirrored, :drafts) "
    "ON CONFLICT (day) DO UPDATE SET modules = excluded.modules, "
    "provider_packages = excluded.provider_packages, provider_docs = excluded.provider_docs, "
    "mirrored = excluded.mirrored, drafts = excluded.drafts"};
constexpr Statement kListStorageDays{
    "list_storage_days",
    "SELECT day, modules, provider_packages, provider_docs, mirrored, drafts FROM storage_day "
    "WHERE day >= :since ORDER BY day"};
constexpr Statement kTrimStorageDays{"trim_storage_days",
                                     "DELETE FROM storage_day WHERE day < :before"};

StoredSum ReadSum(Session& session, const Statement& statement) {
  std::int64_t count = 0, bytes = 0;
  Query query(session, statement);
  query.Into(count).Into(bytes).Next();
  return {.count = static_cast<std::uint64_t>(count), .bytes = static_cast<std::uint64_t>(bytes)};
}

StorageSums::Objects ReadObjectSums(Session& session) {
  StorageSums::Objects objects;
  std::string state;
  std::int64_t count = 0, bytes = 0, oldest = 0;
  Query query(session, kSumObjects);
  query.Into(state).Into(count).Into(bytes).Into(oldest);
  while (query.Next()) {
    const StoredSum sum{.count = static_cast<std::uint64_t>(count),
                        .bytes = static_cast<std::uint64_t>(bytes)};
    if (state == "arriving") objects.arriving = sum;
    if (state == "stored") objects.stored = sum;
    if (state == "lost") objects.lost = sum;
    if (state == "leaving") {
      objects.leaving = sum;
      objects.oldest_leaving_at = oldest;
    }
  }
  return objects;
}

Result<StorageSums> SumStorage(Session& session) {
  return StorageSums{.modules = ReadSum(session, kSumModules),
                     .provider_packages = ReadSum(session, kSumPackages),
                     .provider_docs = ReadSum(session, kSumDocs),
                     .mirrored = ReadSum(session, kSumMirrored),
                     .drafts = ReadSum(session, kSumDrafts),
                     .objects = ReadObjectSums(session)};
}

Status KeepStorageDay(Session& session, const StorageDay& day) {
  Query query(session, kKeepStorageDay);
  query.Use(day.day).Use(static_cast<std::int64_t>(day.modules));
  query.Use(static_cast<std::int64_t>(day.provider_packages));
  query.Use(static_cast<std::int64_t>(day.provider_docs));
  query.Use(static_cast<std::int64_t>(day.mirrored));
  query.Use(static_cast<std::int64_t>(day.drafts)).Run();
  return {};
}

Result<std::vector<StorageDay>> ListStorageDays(Session& session, std::int64_t since) {
  std::vector<StorageDay> days;
  std::int64_t day = 0, modules = 0, packages = 0, docs = 0, mirrored = 0, drafts = 0;
  Query query(session, kListStorageDays);
  query.Use(since).Into(day).Into(modules).Into(packages).Into(docs).Into(mirrored).Into(drafts);
  while (query.Next()) {
    days.push_back({.day = day,
                    .modules = static_cast<std::uint64_t>(modules),
                    .provider_packages = static_cast<std::uint64_t>(packages),
                    .provider_docs = static_cast<std::uint64_t>(docs),
                    .mirrored = static_cast<std::uint64_t>(mirrored),
                    .drafts = static_cast<std::uint64_t>(drafts)});
  }
  return days;
}

Status TrimStorageDays(Session& session, std::int64_t before) {
  Query(session, kTrimStorageDays).Use(before).Run();
  return {};
}

}  // namespace

Task<void> SqlStorageSums::KeepStorageDay(StorageDay day) {
  return transactions_.Write(&sql::KeepStorageDay, day);
}

Task<std::vector<StorageDay>> SqlStorageSums::ListStorageDays(std::int64_t since) {
  return transactions_.Read(&sql::ListStorageDays, since);
}

Task<void> SqlStorageSums::TrimStorageDays(std::int64_t before) {
  return transactions_.Write(&sql::TrimStorageDays, before);
}

Task<StorageSums> SqlStorageSums::SumStorage() { return transactions_.Read(&sql::SumStorage); }

}  // namespace koya::sql
