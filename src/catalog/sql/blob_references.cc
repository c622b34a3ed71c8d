#include "catalog/sql/blob_references.h"

#include "catalog/sql/query.h"

namespace koya::sql {
namespace {

// Each of the eight parts is answered from an index. The release of a package is asked for row by
// row rather than joined: PostgreSQL, before it knows how large the tables are, would go through
// all releases.
constexpr Statement kFindBlob{
    "find_blob_reference",
    "SELECT COUNT(*) FROM ("
    "SELECT 1 FROM module_version WHERE digest = :module AND withdrawn_at IS NULL "
    "UNION ALL SELECT 1 FROM provider_package k WHERE k.digest = :package AND "
    "(SELECT r.withdrawn_at FROM provider_release r WHERE r.id = k.release_id) IS NULL "
    "UNION ALL SELECT 1 FROM provider_release WHERE sums_digest = :sums AND withdrawn_at IS NULL "
    "UNION ALL SELECT 1 FROM provider_release WHERE signature_digest = :signature AND "
    "withdrawn_at IS NULL "
    "UNION ALL SELECT 1 FROM draft_file WHERE digest = :file "
    "UNION ALL SELECT 1 FROM upstream_release WHERE sums_digest = :upstream_sums "
    "UNION ALL SELECT 1 FROM upstream_release WHERE signature_digest = :upstream_signature "
    "UNION ALL SELECT 1 FROM held_blob WHERE digest = :held "
    "LIMIT 1) AS found"};

}  // namespace

bool IsBlobReferenced(Session& session, const Digest& digest) {
  const std::string hex = digest.hex();
  std::int64_t count = 0;
  Query query(session, kFindBlob);
  for (int i = 0; i < 8; ++i) query.Use(hex);
  query.Into(count).Next();
  return count > 0;
}

}  // namespace koya::sql
