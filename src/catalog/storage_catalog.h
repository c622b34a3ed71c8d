// StorageCatalog reports how many bytes the catalog refers to, and of what.
#pragma once

#include <cstdint>
#include <vector>

#include "base/task.h"

namespace koya {

struct StorageDay;
struct StorageSums;

class StorageCatalog {
 public:
  virtual ~StorageCatalog() = default;
  // Computed at each call, which takes a moment on a large registry.
  virtual Task<StorageSums> SumStorage() = 0;

  // Stores the sums of a day, replacing those stored of it.
  virtual Task<void> KeepStorageDay(StorageDay day) = 0;
  // Stored days from `since` on, by day.
  virtual Task<std::vector<StorageDay>> ListStorageDays(std::int64_t since) = 0;
  // Deletes the days before that day.
  virtual Task<void> TrimStorageDays(std::int64_t before) = 0;
};

}  // namespace koya
