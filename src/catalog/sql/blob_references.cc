#include "catalog/sql/blob_references.h"

#include "catalog/sql/query.h"

namespace koya::sql {
namespace {

// Each part is answered from an index.
constexpr Statement kFindBlob{
    "find_blob_reference",
    "SELECT COUNT(*) FROM ("
    "SELECT 1 FROM module_version WHERE digest = :module AND withdrawn_at IS NULL "
    "UNION ALL SELECT 1 FROM provider_package k JOIN provider_release r ON r.id = k.release_id "
    "WHERE k.digest = :package AND r.withdrawn_at IS NULL "
    "UNION ALL SELECT 1 FROM provider_release WHERE sums_digest = :sums AND withdrawn_at IS NULL "
    "UNION ALL SELECT 1 FROM provider_release WHERE signature_digest = :signature AND "
    "withdrawn_at IS NULL "
    "UNION ALL SELECT 1 FROM draft_file WHERE digest = :file "
    "LIMIT 1) AS found"};

}  // namespace

bool IsBlobReferenced(Session& session, const Digest& digest) {
  const std::string hex = digest.hex();
  std::int64_t count = 0;
  Query query(session, kFindBlob);
  query.Use(hex).Use(hex).Use(hex).Use(hex).Use(hex).Into(count).Next();
  return count > 0;
}

}  // namespace koya::sql
