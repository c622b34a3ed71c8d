// Versions of several modules and providers at once. See NumberCatalog.
#pragma once

#include <vector>

#include "catalog/number_catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlNumbers : public virtual NumberCatalog {
 public:
  explicit SqlNumbers(Transactions& transactions) : transactions_(transactions) {}

  Task<std::vector<PublishedNumber>> ListNumbers(std::vector<ModuleAddress> modules,
                                                 std::vector<ProviderAddress> providers) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
