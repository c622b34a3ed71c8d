#include "service/storage.h"

namespace koya::service {

Task<StorageSums> Storage::Sum(auth::Principal by) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  CO_RETURN_IF_ERROR(by.RequireAllNamespaces());
  co_return co_await catalog_.SumStorage();
}

}  // namespace koya::service
