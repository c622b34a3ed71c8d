// Which blobs are needed: the SQL of BlobReferences (catalog/catalog.h). Throws as SOCI does.
#pragma once

#include <vector>

#include "catalog/sql/session.h"
#include "domain/digest.h"

namespace koya::sql {

// One statement, so that bytes which move from a draft into a release at this moment are seen in
// one place or the other.
Result<std::vector<Digest>> FindUnreferenced(Session& session, const std::vector<Digest>& digests);

}  // namespace koya::sql
