#include "catalog/sql/operate/blob_ledger.h"

#include <cstdint>
#include <string>

#include "catalog/sql/engine/cell.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/storage_record.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// What a version that is there needs, and one whose withdrawal can be undone: two parts, since each
// has an index of its own.
#define KOYA_STAYING(table, column)                 \
  "SELECT 1 FROM " table " WHERE " column           \
  " = elements.element AND withdrawn_at IS NULL "   \
  "UNION ALL SELECT 1 FROM " table " WHERE " column \
  " = elements.element "                            \
  "AND withdrawn_kept_until > 0 AND withdrawn_kept_until > {{now}} UNION ALL "
#define KOYA_OF_STAYING(table, column, owner, owner_id) \
  "SELECT 1 FROM " table " x WHERE x." column           \
  " = elements.element AND EXISTS ("                    \
  "SELECT 1 FROM " owner " r WHERE r.id = x." owner_id  \
  " AND (r.withdrawn_at IS NULL OR r.withdrawn_kept_until > {{now}})) UNION ALL "
#define KOYA_OF_STAYING_RELEASE(table, column) \
  KOYA_OF_STAYING(table, column, "provider_release", "release_id")
// Each of the parts is answered from an index, once for each digest: parts that were joined
// instead would let PostgreSQL, before it knows how large the tables are, go through all of one.
#define KOYA_UNPUBLISHED                                                                         \
  "SELECT element FROM {{elements of}} :digests {{end of elements}} WHERE NOT EXISTS "           \
  "(" KOYA_STAYING("module_version", "digest") KOYA_STAYING("provider_release", "sums_digest")   \
      KOYA_STAYING("provider_release", "signature_digest") KOYA_OF_STAYING_RELEASE(              \
          "provider_package", "digest") KOYA_OF_STAYING_RELEASE("release_inside", "docs_digest") \
          KOYA_OF_STAYING_RELEASE("release_inside", "schema_digest")                             \
              KOYA_OF_STAYING_RELEASE("attachment", "digest") KOYA_OF_STAYING(                   \
                  "attachment", "digest", "module_version",                                      \
                  "module_version_id") "SELECT 1 FROM draft_file WHERE digest = elements.element"

constexpr Statement kFindUnpublished{"find_unpublished_blobs", KOYA_UNPUBLISHED ")"};
constexpr Statement kFindUnreferenced{
    "find_unreferenced_blobs", KOYA_UNPUBLISHED
    " UNION ALL SELECT 1 FROM upstream_release WHERE sums_digest = elements.element "
    "UNION ALL SELECT 1 FROM upstream_release WHERE signature_digest = elements.element "
    "UNION ALL SELECT 1 FROM upstream_attachment WHERE digest = elements.element "
    "UNION ALL SELECT 1 FROM held_blob WHERE digest = elements.element)"};

Result<std::vector<Digest>> Ask(Session& session, const Statement& statement,
                                const std::vector<Digest>& digests) {
  std::vector<std::string> asked;
  asked.reserve(digests.size());
  for (const Digest& digest : digests) asked.push_back(digest.hex());
  std::vector<Digest> unneeded;
  std::string hex;
  Query query(session, statement);
  query.Use(JsonList(asked)).Into(hex);
  while (query.Next()) {
    ASSIGN_OR_RETURN(Digest digest, Stored(Digest::Parse(hex)));
    unneeded.push_back(digest);
  }
  return unneeded;
}

Result<std::vector<Digest>> FindUnpublished(Session& session, const std::vector<Digest>& digests) {
  return Ask(session, kFindUnpublished, digests);
}

}  // namespace

Result<std::vector<Digest>> FindUnreferenced(Session& session, const std::vector<Digest>& digests) {
  return Ask(session, kFindUnreferenced, digests);
}

Task<std::vector<Digest>> SqlBlobReferences::FindUnreferenced(std::vector<Digest> digests) {
  return transactions_.Read(&sql::FindUnreferenced, std::move(digests));
}

Task<std::vector<Digest>> SqlBlobReferences::FindUnpublished(std::vector<Digest> digests) {
  return transactions_.Read(&sql::FindUnpublished, std::move(digests));
}

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
constexpr Statement kSumAttachments{
    "sum_attachments",
    "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM (SELECT a.size FROM attachment a "
    "JOIN module_version v ON v.id = a.module_version_id WHERE v.withdrawn_at IS NULL UNION ALL "
    "SELECT a.size FROM attachment a JOIN provider_release r ON r.id = a.release_id "
    "WHERE r.withdrawn_at IS NULL) attached"};
constexpr Statement kSumMirroredAttachments{
    "sum_mirrored_attachments",
    "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM (SELECT DISTINCT digest, size "
    "FROM upstream_attachment) attached"};
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
                     .attachments = ReadSum(session, kSumAttachments),
                     .mirrored = ReadSum(session, kSumMirrored),
                     .mirrored_attachments = ReadSum(session, kSumMirroredAttachments),
                     .drafts = ReadSum(session, kSumDrafts),
                     .objects = ReadObjectSums(session)};
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<StorageSums> StorageCatalog::SumStorage() { return transactions_.Read(&sql::SumStorage); }

}  // namespace koya
