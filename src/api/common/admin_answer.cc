#include "api/common/admin_answer.h"

#include "api/common/denials.h"
#include "api/common/query.h"

namespace koya::api {

Status RequireAdministrator(const Call& call) {
  const std::optional<auth::CapabilityBearer>& bearer = call.principal.bearer;
  const bool signed_in = bearer && bearer->kind == auth::CapabilityBearer::Kind::kSession;
  const bool may = call.principal.Require(Scope::kAdmin).has_value() &&
                   call.principal.RequireAllNamespaces().has_value();
  if (signed_in && may) return {};
  if (!may) NoteDenied(call, 403);
  return FailNotFound("there is nothing at this path");
}

Task<std::optional<http::Response>> AdminPage::Admit() {
  CO_RETURN_IF_ERROR(RequireAdministrator(call));
  co_return std::nullopt;
}

Result<std::string> TypedParameter(const Call& call, std::string_view name) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(call.request().query, name));
  return std::move(text).value_or("");
}

}  // namespace koya::api
