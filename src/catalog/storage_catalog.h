// StorageCatalog reports how many bytes the catalog refers to, and of what.
#pragma once

#include "base/task.h"

namespace koya {

struct StorageSums;

class StorageCatalog {
 public:
  virtual ~StorageCatalog() = default;
  // Computed at each call, which takes a moment on a large registry.
  virtual Task<StorageSums> SumStorage() = 0;
};

}  // namespace koya
