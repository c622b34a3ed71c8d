#include "catalog/sql/operate/storage_sums.h"

#include <cstdint>
#include <string>

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

}  // namespace

Task<StorageSums> SqlStorageSums::SumStorage() { return transactions_.Read(&sql::SumStorage); }

}  // namespace koya::sql
