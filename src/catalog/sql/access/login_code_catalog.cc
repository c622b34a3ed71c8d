#include "catalog/sql/access/login_code_catalog.h"

#include <utility>

#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/module_version_row.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/sign_in_record.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kAddLoginCode{
    "add_login_code",
    "INSERT INTO login_code (secret, account_id, client_id, redirect_uri, challenge, scope, "
    "expires_at) VALUES (:secret, :account_id, :client_id, :redirect_uri, :challenge, :scope, "
    ":expires_at) ON CONFLICT DO NOTHING"};
// One statement, so that of two who bring the same code one gets it.
constexpr Statement kTakeLoginCode{
    "take_login_code",
    "DELETE FROM login_code WHERE secret = :secret RETURNING account_id, client_id, redirect_uri, "
    "challenge, scope, expires_at"};

Status AddLoginCode(Session& session, const LoginCodeRecord& code) {
  RETURN_IF_ERROR(CheckStorable("the client's ID", code.client_id));
  RETURN_IF_ERROR(CheckStorable("the address to return to", code.redirect_uri));
  RETURN_IF_ERROR(CheckStorable("the code's challenge", code.challenge));
  RETURN_IF_ERROR(HoldAccount(session, code.account_id, "the code"));
  Query query(session, kAddLoginCode);
  query.Use(code.secret.hex()).Use(code.account_id).Use(code.client_id).Use(code.redirect_uri);
  query.Use(code.challenge).Use(ScopeName(code.scope)).Use(code.expires_at);
  if (query.Run() != 0) return {};
  return Fail(ErrorKind::kConflict, "this code already exists: sign in again");
}

Result<LoginCodeRecord> TakeLoginCode(Session& session, const Digest& secret) {
  LoginCodeRecord code{.secret = secret};
  std::string scope;
  Query query(session, kTakeLoginCode);
  query.Use(secret.hex()).Into(code.account_id).Into(code.client_id).Into(code.redirect_uri);
  query.Into(code.challenge).Into(scope).Into(code.expires_at);
  if (!query.Next()) {
    return Fail(ErrorKind::kNotFound,
                "this code is unknown, was already used, or has expired: sign in again");
  }
  std::optional<Scope> parsed = ParseScope(scope);
  if (!parsed) return Failure(StrangeRow({ErrorKind::kCorrupt, "code's scope " + scope, {}}));
  code.scope = *parsed;
  return code;
}

}  // namespace

Task<void> SqlLoginCodes::AddLoginCode(LoginCodeRecord code) {
  return transactions_.Write(&sql::AddLoginCode, std::move(code));
}

Task<LoginCodeRecord> SqlLoginCodes::TakeLoginCode(Digest secret) {
  return transactions_.Write(&sql::TakeLoginCode, secret);
}

}  // namespace koya::sql
