// Which blobs are needed. See BlobReferences.
#pragma once

#include <vector>

#include "catalog/blob_references.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

// Within a unit that goes on to remove what is found. See BlobReferences. Throws as SOCI does.
Result<std::vector<Digest>> FindUnreferenced(Session& session, const std::vector<Digest>& digests);

class SqlBlobReferences : public virtual BlobReferences {
 public:
  explicit SqlBlobReferences(Transactions& transactions) : transactions_(transactions) {}

  Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) override;
  Task<std::vector<Digest>> FindUnpublished(std::vector<Digest> digests) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
