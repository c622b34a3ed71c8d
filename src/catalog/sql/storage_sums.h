// Sums over all that has bytes. See StorageCatalog.
#pragma once

#include "catalog/catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlStorageSums : public virtual StorageCatalog {
 public:
  explicit SqlStorageSums(Transactions& transactions) : transactions_(transactions) {}

  Task<StorageSums> SumStorage() override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
