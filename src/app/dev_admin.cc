#include "app/dev_admin.h"

#include "base/run_task.h"

namespace koya {

Result<std::string> EnsureDevAdminToken(service::Tokens& tokens, const std::string& kept) {
  constexpr const char* kName = "dev-admin";
  if (!kept.empty()) {
    auto principal = RunTask(tokens.Authenticate("Bearer " + kept));
    if (principal && principal->Require(Scope::kAdmin)) return kept;
    if (!principal && principal.error().kind != ErrorKind::kUnauthenticated) {
      return std::unexpected(std::move(principal).error());
    }
  }
  Status revoked = RunTask(tokens.Revoke(auth::Principal::Operator(), kName));
  if (!revoked && revoked.error().kind != ErrorKind::kNotFound) {
    return std::unexpected(std::move(revoked).error());
  }
  service::NewToken token{.name = kName, .scope = Scope::kAdmin, .namespaces = {}, .expires = {}};
  ASSIGN_OR_RETURN(service::CreatedToken created,
                   RunTask(tokens.Create(auth::Principal::Operator(), std::move(token))));
  return std::move(created.text);
}

}  // namespace koya
