#include "catalog/sql/access/password_catalog.h"

#include <utility>

#include "catalog/sql/engine/access_lock.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/sign_in_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kFindPassword{"find_password",
                                  "SELECT " KOYA_ACCOUNT_COLUMNS
                                  ", p.hash FROM account a LEFT JOIN account_password p ON "
                                  "p.account_id = a.id WHERE a.kind = 'user' AND "
                                  "a.name_key = :name_key"};
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
  AccountRow row;
  Query query(session, kFindPassword);
  query.Use(AccountKey(user));
  row.Bind(query);
  if (!query.Into(record.hash).Next()) return NoAccount(AccountKind::kUser, user);
  ASSIGN_OR_RETURN(record.account, row.ToRecord());
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

}  // namespace koya::sql
