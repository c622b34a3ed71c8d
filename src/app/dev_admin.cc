#include "app/dev_admin.h"

#include <optional>
#include <utility>

#include "base/run_task.h"

namespace koya {
namespace {

// As the one that is made here.
bool MayDoEverything(const TokenRecord& token) {
  return token.scope == Scope::kAdmin && token.namespaces.empty() && token.account_id.empty() &&
         !token.expires_at;
}

}  // namespace

Result<std::string> EnsureDevAdminToken(service::Tokens& tokens, const std::string& kept) {
  constexpr const char* kName = "dev-admin";
  if (!kept.empty()) {
    auto principal = RunTask(tokens.Authenticate("Bearer " + kept));
    if (principal && principal->Require(Scope::kAdmin)) return kept;
    if (!principal && principal.error().kind != ErrorKind::kUnauthenticated) {
      return std::unexpected(std::move(principal).error());
    }
  }
  // It may be the last that may do everything, which cannot be revoked: it gets another text.
  const auth::Principal by = auth::Principal::Operator();
  Result<service::CreatedToken> rotated = RunTask(tokens.Rotate(by, kName, std::nullopt));
  if (rotated && MayDoEverything(rotated->record)) return std::move(rotated->text);
  if (rotated) RETURN_IF_ERROR(RunTask(tokens.Revoke(by, kName)));
  if (!rotated && rotated.error().kind != ErrorKind::kNotFound) {
    return std::unexpected(std::move(rotated).error());
  }
  service::NewToken token{
      .name = kName, .scope = Scope::kAdmin, .namespaces = {}, .expires = {}, .never_ends = true};
  ASSIGN_OR_RETURN(service::CreatedToken created, RunTask(tokens.Create(by, std::move(token))));
  return std::move(created.text);
}

}  // namespace koya
