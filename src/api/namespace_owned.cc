#include "api/namespace_owned.h"

#include "domain/namespace_name.h"

namespace koya::api {

Task<OwnedNamespace> FindOwned(Call& call, const Visit& visit) {
  constexpr const char* kNowhere = "there is no such namespace, or it is not yours";
  Result<std::string> name = ParseNamespaceName(call.path("namespace"));
  auth::Principal by = SignedInPrincipal(visit);
  if (!name || !by.RequireNamespace(*name)) co_return Fail(ErrorKind::kNotFound, kNowhere);
  ASSIGN_OR_CO_RETURN(NamespaceRecord record,
                      co_await call.services.namespace_admin.Show(by, *name));
  co_return OwnedNamespace{.by = std::move(by), .record = std::move(record)};
}

std::string OwnedPath(const Call& call, std::string_view end) {
  return web::NamespaceTabPath(call.path("namespace"), end);
}

void LogOwned(const Call& call, const OwnedNamespace& owned, std::string_view what,
              std::string_view name) {
  call.services.log.Info(what, {{"request_id", call.request().request_id},
                                {"by", owned.by.name},
                                {"namespace", owned.record.name},
                                {"name", name}});
}

}  // namespace koya::api
