#include "api/admin_answer.h"

#include <array>

#include "api/denials.h"
#include "api/kept_form.h"
#include "api/query.h"

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

Task<SentForm> TakeAdministratorsForm(Call& call, Visit& visit) {
  static constexpr std::array<std::string_view, 9> kKept{
      "name", "kind", "member", "ns", "grantee", "role", "chosen", "deed", "group"};
  // Once they are signed in, nothing has to be encoded twice: 50 names have room.
  constexpr std::size_t kMostOfAdministrators = 4000;
  const std::string shown_at(call.request().path);
  ASSIGN_OR_CO_RETURN(SentForm sent, co_await TakeForm(call, visit, shown_at, kKept));
  if (sent.is_refill && !sent.instead) {
    sent.instead = visit.GoTo(RefilledPath(shown_at, sent.form, kKept, kMostOfAdministrators));
  }
  co_return sent;
}

Result<std::string> TypedParameter(const Call& call, std::string_view name) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(call.request().query, name));
  return std::move(text).value_or("");
}

}  // namespace koya::api
