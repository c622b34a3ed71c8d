// How much is stored, of what, for those who keep the server running.
#pragma once

#include "auth/principal.h"
#include "base/task.h"
#include "catalog/storage_catalog.h"

namespace koya::service {

class Storage {
 public:
  // `catalog` must outlive this.
  explicit Storage(StorageCatalog& catalog) : catalog_(catalog) {}

  // As the catalog's records say. Fails: kForbidden (for administrators only); as the catalog.
  Task<StorageSums> Sum(auth::Principal by);

 private:
  StorageCatalog& catalog_;
};

}  // namespace koya::service
