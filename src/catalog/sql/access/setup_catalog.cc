#include "catalog/sql/access/setup_catalog.h"

#include <utility>

#include "catalog/sql/access/administrators.h"
#include "catalog/sql/access/password_catalog.h"
#include "catalog/sql/engine/access_lock.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/module_version_row.h"
#include "catalog/sql/engine/query.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/topic.h"
#include "domain/use.h"
#include "domain/visibility.h"

namespace koya::sql {
namespace {

constexpr Statement kPutSetupToken{
    "put_setup_token",
    "INSERT INTO setup_token (only_row, secret, expires_at) VALUES (1, :secret, :expires_at) "
    "ON CONFLICT (only_row) DO UPDATE SET secret = excluded.secret, "
    "expires_at = excluded.expires_at"};
constexpr Statement kRemoveSetupToken{"remove_setup_token", "DELETE FROM setup_token"};
constexpr Statement kTakeSetupToken{
    "take_setup_token", "DELETE FROM setup_token WHERE secret = :secret AND expires_at > :now"};

constexpr Statement kPutDefaultVisibility{
    "put_default_visibility",
    "INSERT INTO default_visibility (only_row, visibility) VALUES (1, :visibility) "
    "ON CONFLICT (only_row) DO UPDATE SET visibility = excluded.visibility"};
constexpr Statement kFindDefaultVisibility{"find_default_visibility",
                                           "SELECT visibility FROM default_visibility"};

Status PutSetupToken(Session& session, const Digest& secret, UnixSeconds expires_at) {
  Query(session, kPutSetupToken).Use(secret.hex()).Use(expires_at).Run();
  return {};
}

Status RemoveSetupToken(Session& session) {
  Query(session, kRemoveSetupToken).Run();
  return {};
}

Status SetUp(Session& session, const Actor& by, const Digest& secret,
             const AccountRecord& administrator, const std::string& hash,
             std::optional<Visibility> new_namespaces, UnixSeconds now) {
  LockAccess(session);
  if (Query(session, kTakeSetupToken).Use(secret.hex()).Use(now).Run() == 0) {
    return Fail(ErrorKind::kNotFound,
                "this set-up token is unknown, was already used, or has expired: the server "
                "creates another when it restarts");
  }
  ASSIGN_OR_RETURN(bool done, HasAdministrator(session));
  if (done) {
    return Fail(ErrorKind::kConflict,
                "this registry already has an administrator: sign in, or ask them for an account");
  }
  RETURN_IF_ERROR(InsertAccount(session, administrator));
  RETURN_IF_ERROR(PutPassword(session, administrator.id, hash));
  AuditFacts facts;
  facts.Add("id", administrator.id).Add("admin", "yes").Add("with", "the set-up token");
  if (new_namespaces) {
    Query(session, kPutDefaultVisibility).Use(VisibilityName(*new_namespaces)).Run();
    facts.Add("new_namespaces", VisibilityName(*new_namespaces));
  }
  RecordChange(session, by,
               {.action = "account.create",
                .target = AuditTarget(administrator),
                .ns = {},
                .before = {},
                .after = facts.ToJson()});
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Result<std::optional<Visibility>> FindDefaultVisibility(Session& session) {
  std::string name;
  Query query(session, kFindDefaultVisibility);
  query.Into(name);
  if (!query.Next()) return std::optional<Visibility>();
  std::optional<Visibility> visibility = ParseVisibility(name);
  if (!visibility) return Failure(StrangeRow({ErrorKind::kCorrupt, "visibility " + name, {}}));
  return visibility;
}

}  // namespace

Task<void> SqlSetup::PutSetupToken(Digest secret, UnixSeconds expires_at) {
  return transactions_.Write(&sql::PutSetupToken, secret, expires_at);
}

Task<void> SqlSetup::RemoveSetupToken() { return transactions_.Write(&sql::RemoveSetupToken); }

Task<void> SqlSetup::SetUp(Actor by, Digest secret, AccountRecord administrator, std::string hash,
                           std::optional<Visibility> new_namespaces, UnixSeconds now) {
  return transactions_.Write(&sql::SetUp, std::move(by), secret, std::move(administrator),
                             std::move(hash), new_namespaces, now);
}

Task<std::optional<Visibility>> SqlSetup::FindDefaultVisibility() {
  return transactions_.Read(&sql::FindDefaultVisibility);
}

}  // namespace koya::sql
