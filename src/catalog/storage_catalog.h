// What the catalog says of bytes: how many, of what.
#pragma once

#include "base/task.h"
#include "domain/storage_sums.h"

namespace koya {

class StorageCatalog {
 public:
  virtual ~StorageCatalog() = default;
  // Counted when it is asked: of a large registry that takes a moment.
  virtual Task<StorageSums> SumStorage() = 0;
};

}  // namespace koya
