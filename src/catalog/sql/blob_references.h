// Which blobs are needed. See BlobReferences.
#pragma once

#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlBlobReferences : public virtual BlobReferences {
 public:
  explicit SqlBlobReferences(Transactions& transactions) : transactions_(transactions) {}

  Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) override;
  Task<std::vector<Digest>> FindUnpublished(std::vector<Digest> digests) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
