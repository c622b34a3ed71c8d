#include "api/common/namespace_owned.h"

#include "domain/name_rules.h"
#include "service/access/namespace_admin.h"

namespace koya::api {

std::string OwnersPage::Path(std::string_view end) const {
  return web::NamespaceTabPath(call.path("namespace"), end);
}

std::string OwnersPage::ShownAt() const {
  const std::string_view end =
      call.pattern.substr(std::string_view("/namespaces/{namespace}/").size());
  return Path(end.substr(0, end.find('/')));
}

Task<std::optional<http::Response>> OwnersPage::Admit() {
  Result<std::string> name = ParseNamespaceName(call.path("namespace"));
  if (!name || !by.RequireNamespace(*name)) {
    co_return FailNotFound("no such namespace, or you don't own it");
  }
  ASSIGN_OR_CO_RETURN(record, co_await services.rights.namespace_admin.Show(by, *name));
  co_return std::nullopt;
}

}  // namespace koya::api
