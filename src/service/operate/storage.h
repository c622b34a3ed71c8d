// Reports to administrators how much is stored, by kind.
#pragma once

#include "base/task.h"

namespace koya {
class StorageCatalog;
struct StorageSums;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

class Storage {
 public:
  // `catalog` must outlive this.
  explicit Storage(StorageCatalog& catalog) : catalog_(catalog) {}

  // Sums according to the catalog's records. Fails: kForbidden (administrators only); as the
  // catalog.
  Task<StorageSums> Sum(auth::Principal by);

 private:
  StorageCatalog& catalog_;
};

}  // namespace koya::service
