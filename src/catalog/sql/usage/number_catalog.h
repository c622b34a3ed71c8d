// Implements NumberCatalog: versions of several modules and providers at once.
#pragma once

#include <vector>

#include "catalog/number_catalog.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {

class SqlNumbers : public virtual NumberCatalog {
 public:
  explicit SqlNumbers(Executor& transactions) : transactions_(transactions) {}

  Task<std::vector<PublishedNumber>> ListNumbers(std::vector<ModuleAddress> modules,
                                                 std::vector<ProviderAddress> providers) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
