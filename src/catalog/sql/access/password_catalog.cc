#include "catalog/sql/access/sign_in_catalog.h"

#include <utility>

#include "catalog/sql/access/access_catalog.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/cell.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/transaction.h"
#include "domain/access.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/credential_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr auto kFindPassword =
    Sql("find_password", "SELECT ", kSelect<kAccountColumns>,
        ", p.hash FROM account a LEFT JOIN account_password p ON "
        "p.account_id = a.id WHERE a.kind = 'user' AND a.name_key = :name_key");
constexpr Statement kPutPassword{
    "put_password",
    "INSERT INTO account_password (account_id, hash) VALUES (:account_id, :hash) "
    "ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash"};
constexpr Statement kRemovePassword{"remove_password",
                                    "DELETE FROM account_password WHERE account_id = :account_id"};
constexpr Statement kEndOtherSessions{
    "end_other_sessions", "DELETE FROM session WHERE account_id = :account_id AND id <> :kept"};
constexpr Statement kRenewHash{
    "renew_hash",
    "UPDATE account_password SET hash = :hash WHERE hash = :old AND account_id = "
    "(SELECT id FROM account WHERE kind = 'user' AND name_key = :name_key)"};

Result<PasswordRecord> FindPassword(Session& session, const std::string& user) {
  if (!IsStorable(user)) return NoAccount(AccountKind::kUser, user);
  PasswordRecord record;
  Query query(session, kFindPassword);
  query.Use(AccountKey(user));
  RecordReader reader(query, kAccountColumns);
  if (!query.Into(record.hash).Next()) return NoAccount(AccountKind::kUser, user);
  ASSIGN_OR_RETURN(record.account, reader.Read());
  return record;
}

Status SetPassword(Session& session, const Actor& by, const std::string& user,
                   const std::optional<std::string>& hash, const std::string& kept) {
  RETURN_IF_ERROR(CheckStorable("the ID of the session that stays", kept));
  LockAccess(session);
  ASSIGN_OR_RETURN(AccountRecord account, HoldUser(session, user));
  if (hash) {
    RETURN_IF_ERROR(PutPassword(session, account.id, *hash));
  } else {
    Query(session, kRemovePassword).Use(account.id).Run();
  }
  AuditFacts facts;
  facts.Add("sessions_ended", Query(session, kEndOtherSessions).Use(account.id).Use(kept).Run());
  RecordChange(session, by,
               {.action = hash ? "password.set" : "password.remove",
                .target = AuditTarget(account),
                .ns = {},
                .before = {},
                .after = facts.ToJson()});
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Status RenewHash(Session& session, const std::string& user, const std::string& old,
                 const std::string& hash) {
  RETURN_IF_ERROR(CheckStorable("the hash of the password", hash));
  if (!IsStorable(user) || !IsStorable(old)) return {};
  Query(session, kRenewHash).Use(hash).Use(old).Use(AccountKey(user)).Run();
  return {};
}

}  // namespace

Status PutPassword(Session& session, std::string_view account_id, std::string_view hash) {
  RETURN_IF_ERROR(CheckStorable("the hash of the password", hash));
  Query(session, kPutPassword).Use(account_id).Use(hash).Run();
  return {};
}

Task<PasswordRecord> SqlPasswords::FindPassword(std::string user) {
  return transactions_.Read(&sql::FindPassword, std::move(user));
}

Task<void> SqlPasswords::SetPassword(Actor by, std::string user, std::optional<std::string> hash,
                                     std::string kept) {
  return transactions_.Write(&sql::SetPassword, std::move(by), std::move(user), std::move(hash),
                             std::move(kept));
}

Task<void> SqlPasswords::RenewHash(std::string user, std::string old, std::string hash) {
  return transactions_.Write(&sql::RenewHash, std::move(user), std::move(old), std::move(hash));
}

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
constexpr Statement kPutSiteName{"put_site_name",
                                 "INSERT INTO site_name (only_row, name) VALUES (1, :name) "
                                 "ON CONFLICT (only_row) DO UPDATE SET name = excluded.name"};
constexpr Statement kFindSiteName{"find_site_name", "SELECT name FROM site_name"};

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
             const SetupChoices& choices, UnixSeconds now) {
  RETURN_IF_ERROR(CheckStorable("the registry's name", choices.site_name));
  LockAccess(session);
  if (Query(session, kTakeSetupToken).Use(secret.hex()).Use(now).Run() == 0) {
    return FailNotFound(
        "this set-up token is unknown, was already used, or has expired: the server "
        "creates another when it restarts");
  }
  ASSIGN_OR_RETURN(bool done, HasAdministrator(session));
  if (done) {
    return FailConflict(
        "this registry already has an administrator: sign in, or ask them for an account");
  }
  RETURN_IF_ERROR(InsertAccount(session, administrator));
  RETURN_IF_ERROR(PutPassword(session, administrator.id, hash));
  AuditFacts facts;
  facts.Add("id", administrator.id).Add("admin", "yes").Add("with", "the set-up token");
  if (choices.new_namespaces) {
    Query(session, kPutDefaultVisibility).Use(VisibilityName(*choices.new_namespaces)).Run();
    facts.Add("new_namespaces", VisibilityName(*choices.new_namespaces));
  }
  if (!choices.site_name.empty()) {
    Query(session, kPutSiteName).Use(choices.site_name).Run();
    facts.Add("site_name", choices.site_name);
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

Result<SetupChoices> FindSetupChoices(Session& session) {
  SetupChoices choices;
  std::string name;
  Query visibility(session, kFindDefaultVisibility);
  visibility.Into(name);
  if (visibility.Next()) {
    choices.new_namespaces = ParseVisibility(name);
    if (!choices.new_namespaces) {
      return Failure(StrangeRow({ErrorKind::kCorrupt, "visibility " + name, {}}));
    }
  }
  Query site_name(session, kFindSiteName);
  site_name.Into(name);
  if (site_name.Next()) choices.site_name = name;
  return choices;
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<void> SetupCatalog::PutSetupToken(Digest secret, UnixSeconds expires_at) {
  return transactions_.Write(&sql::PutSetupToken, secret, expires_at);
}

Task<void> SetupCatalog::RemoveSetupToken() { return transactions_.Write(&sql::RemoveSetupToken); }

Task<void> SetupCatalog::SetUp(Actor by, Digest secret, AccountRecord administrator,
                               std::string hash, SetupChoices choices, UnixSeconds now) {
  return transactions_.Write(&sql::SetUp, std::move(by), secret, std::move(administrator),
                             std::move(hash), std::move(choices), now);
}

Task<SetupChoices> SetupCatalog::FindChoices() {
  return transactions_.Read(&sql::FindSetupChoices);
}

}  // namespace koya
