// Sums over all that has bytes. See StorageCatalog.
#pragma once

#include "catalog/sql/transactions.h"

#include "catalog/storage_catalog.h"

namespace koya::sql {

class SqlStorageSums : public virtual StorageCatalog {
 public:
  explicit SqlStorageSums(Transactions& transactions) : transactions_(transactions) {}

  Task<StorageSums> SumStorage() override;
  Task<void> KeepStorageDay(StorageDay day) override;
  Task<std::vector<StorageDay>> ListStorageDays(std::int64_t since) override;
  Task<void> TrimStorageDays(std::int64_t before) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
