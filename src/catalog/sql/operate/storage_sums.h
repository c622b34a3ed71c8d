// Implements StorageCatalog: sums over everything that has bytes.
#pragma once

#include "catalog/sql/engine/executor.h"

#include "catalog/storage_catalog.h"

namespace koya::sql {

class SqlStorageSums : public virtual StorageCatalog {
 public:
  explicit SqlStorageSums(Executor& transactions) : transactions_(transactions) {}

  Task<StorageSums> SumStorage() override;
  Task<void> KeepStorageDay(StorageDay day) override;
  Task<std::vector<StorageDay>> ListStorageDays(std::int64_t since) override;
  Task<void> TrimStorageDays(std::int64_t before) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
