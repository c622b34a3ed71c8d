#include "service/operate/storage.h"

#include "auth/principal.h"
#include "auth/token.h"
#include "catalog/storage_catalog.h"
#include "domain/storage_record.h"

namespace koya::service {
namespace {

Status CheckKeeper(const auth::Principal& by) {
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  return by.RequireAllNamespaces();
}

}  // namespace

Task<StorageSums> Storage::Sum(auth::Principal by) {
  CO_RETURN_IF_ERROR(CheckKeeper(by));
  co_return co_await catalog_.SumStorage();
}

}  // namespace koya::service
