// Implements StorageCatalog: sums over everything that has bytes.
#pragma once

#include "catalog/sql/engine/executor.h"

#include "catalog/storage_catalog.h"

namespace koya::sql {

class SqlStorageSums : public virtual StorageCatalog {
 public:
  explicit SqlStorageSums(Executor& transactions) : transactions_(transactions) {}

  Task<StorageSums> SumStorage() override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
