#include "api/common/admin_answer.h"

#include <array>

#include "api/common/denials.h"
#include "api/common/kept_form.h"
#include "api/common/query.h"

namespace koya::api {

Status RequireAdministrator(const Call& call) {
  const std::optional<auth::CapabilityBearer>& bearer = call.principal.bearer;
  const bool signed_in = bearer && bearer->kind == auth::CapabilityBearer::Kind::kSession;
  const bool may = call.principal.Require(Scope::kAdmin).has_value() &&
                   call.principal.RequireAllNamespaces().has_value();
  if (signed_in && may) return {};
  if (!may) NoteDenied(call, 403);
  return Fail(ErrorKind::kNotFound, "there is nothing at this path");
}

namespace {

constexpr std::array<std::string_view, 9> kKeptOfAdministrators{
    "name", "kind", "member", "ns", "grantee", "role", "chosen", "deed", "group"};

// Once they are signed in, nothing has to be encoded twice: 50 names have room in an address.
Task<http::Response> RefillAdministrators(Call& call, const PageContext& visit, const Form& form) {
  constexpr std::size_t kMost = 4000;
  co_return visit.GoTo(RefilledPath(call.request().path, form, kKeptOfAdministrators, kMost));
}

}  // namespace

Task<SentForm> TakeAdministratorsForm(Call& call, PageContext& visit) {
  const std::string shown_at(call.request().path);
  co_return co_await TakeForm(call, visit, shown_at, kKeptOfAdministrators, RefillAdministrators);
}

Result<std::string> TypedParameter(const Call& call, std::string_view name) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(call.request().query, name));
  return std::move(text).value_or("");
}

}  // namespace koya::api
