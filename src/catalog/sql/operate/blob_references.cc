#include "catalog/sql/operate/blob_references.h"

#include <string>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/upstream_row.h"
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
#define KOYA_OF_STAYING_RELEASE(table, column)                      \
  "SELECT 1 FROM " table " x WHERE x." column                       \
  " = elements.element AND EXISTS ("                                \
  "SELECT 1 FROM provider_release r WHERE r.id = x.release_id AND " \
  "(r.withdrawn_at IS NULL OR r.withdrawn_kept_until > {{now}})) UNION ALL "
// Each of the parts is answered from an index, once for each digest: parts that were joined
// instead would let PostgreSQL, before it knows how large the tables are, go through all of one.
#define KOYA_UNPUBLISHED                                                                        \
  "SELECT element FROM {{elements of}} :digests {{end of elements}} WHERE NOT EXISTS "          \
  "(" KOYA_STAYING("module_version", "digest") KOYA_STAYING("provider_release", "sums_digest")  \
      KOYA_STAYING("provider_release", "signature_digest")                                      \
          KOYA_OF_STAYING_RELEASE("provider_package", "digest")                                 \
              KOYA_OF_STAYING_RELEASE("release_inside", "docs_digest") KOYA_OF_STAYING_RELEASE( \
                  "release_inside",                                                             \
                  "schema_digest") "SELECT 1 FROM draft_file WHERE digest = elements.element"

constexpr Statement kFindUnpublished{"find_unpublished_blobs", KOYA_UNPUBLISHED ")"};
constexpr Statement kFindUnreferenced{
    "find_unreferenced_blobs", KOYA_UNPUBLISHED
    " UNION ALL SELECT 1 FROM upstream_release WHERE sums_digest = elements.element "
    "UNION ALL SELECT 1 FROM upstream_release WHERE signature_digest = elements.element "
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
    ASSIGN_OR_RETURN(Digest digest, ToDigest(hex));
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

}  // namespace koya::sql
