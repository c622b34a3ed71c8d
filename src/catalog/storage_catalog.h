// What the catalog says of bytes: how many, of what.
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
  // Counted when it is asked: of a large registry that takes a moment.
  virtual Task<StorageSums> SumStorage() = 0;

  // Keeps how much there was on a day, in place of what is kept of it.
  virtual Task<void> KeepStorageDay(StorageDay day) = 0;
  // Those that are kept from that day on, by day.
  virtual Task<std::vector<StorageDay>> ListStorageDays(std::int64_t since) = 0;
  // Forgets those before that day.
  virtual Task<void> TrimStorageDays(std::int64_t before) = 0;
};

}  // namespace koya
