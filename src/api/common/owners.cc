#include "api/common/owners.h"

#include <memory>
#include <optional>
#include <utility>

#include "api/common/call.h"
#include "auth/capability.h"
#include "domain/namespace_record.h"
#include "service/access/namespaces.h"

namespace koya::api {

Awaitable<NamespaceOwners> OwnersFor(Call& call, std::string ns) {
  const std::optional<auth::CapabilityBearer>& bearer = call.principal.bearer;
  if (!bearer || bearer->kind != auth::CapabilityBearer::Kind::kSession) {
    co_return NamespaceOwners();
  }
  Result<std::shared_ptr<const NamespaceOwners>> owners =
      co_await call.services.rights.namespaces.Owners(std::move(ns));
  co_return owners ? **owners : NamespaceOwners();
}

}  // namespace koya::api
