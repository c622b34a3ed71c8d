// Implements BlobReferences and StorageCatalog: which blobs are needed, and sums over everything
// that has bytes.
#pragma once

#include <vector>

#include "catalog/sql/engine/database.h"
#include "catalog/storage_catalog.h"

namespace koya::sql {

// For a transaction that goes on to remove the result. See BlobReferences. Throws as SOCI does.
Result<std::vector<Digest>> FindUnreferenced(Session& session, const std::vector<Digest>& digests);

class SqlBlobReferences : public virtual BlobReferences {
 public:
  explicit SqlBlobReferences(Executor& transactions) : transactions_(transactions) {}

  Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) override;
  Task<std::vector<Digest>> FindUnpublished(std::vector<Digest> digests) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
