#include "catalog/sql/engine/account_row.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/module_version_row.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kFindAccountId{
    "find_account_id", "SELECT id, name FROM account WHERE kind = :kind AND name_key = :name_key"};
constexpr Statement kFindGroupKey{"find_group_key",
                                  "SELECT name_key, name FROM account_group "
                                  "WHERE name_key = :name_key"};
constexpr Statement kAddAccount{
    "add_account",
    "INSERT INTO account (id, kind, name, name_key, admin, created_at, created_by, disabled_at) "
    "VALUES (:id, :kind, :name, :name_key, :admin, :created_at, :created_by, :disabled_at) "
    "ON CONFLICT DO NOTHING"};
constexpr Statement kHoldAccount{"hold_account", "SELECT " KOYA_ACCOUNT_COLUMNS
                                                 " FROM account a WHERE a.id = :id {{for share}}"};
constexpr Statement kHoldUser{"hold_user",
                              "SELECT " KOYA_ACCOUNT_COLUMNS
                              " FROM account a WHERE a.kind = 'user' AND a.name_key = :name_key "
                              "{{for share}}"};

}  // namespace

void AccountRow::Bind(Query& query) {
  query.Into(id).Into(kind).Into(name).Into(admin).Into(created_at).Into(created_by);
  query.Into(disabled_at).Into(language);
}

Result<AccountRecord> AccountRow::ToRecord() const {
  ASSIGN_OR_RETURN(AccountKind parsed, ReadAccountKind(kind));
  return AccountRecord{.id = id,
                       .kind = parsed,
                       .name = name,
                       .admin = admin != 0,
                       .created_at = created_at,
                       .created_by = created_by,
                       .disabled_at = disabled_at,
                       .language = language};
}

Result<AccountKind> ReadAccountKind(std::string_view kind) {
  for (AccountKind each : {AccountKind::kUser, AccountKind::kService}) {
    if (kind == AccountKindName(each)) return each;
  }
  return Failure(
      StrangeRow({ErrorKind::kCorrupt, fmt::format("account kind {}", Printable(kind)), {}}));
}

std::string AccountKey(std::string_view name) { return AsciiLower(name); }

Result<std::string> FindGrantee(Session& session, GranteeKind kind, std::string_view name) {
  ASSIGN_OR_RETURN(Grantee grantee, FindNamedGrantee(session, kind, name));
  return std::move(grantee.key);
}

Result<Grantee> FindNamedGrantee(Session& session, GranteeKind kind, std::string_view name) {
  Grantee found;
  const bool possible = IsStorable(name);
  if (kind == GranteeKind::kGroup) {
    Query query(session, kFindGroupKey);
    query.Use(AccountKey(name)).Into(found.key).Into(found.name);
    if (possible && query.Next()) return found;
    return NoGroup(name);
  }
  Query query(session, kFindAccountId);
  query.Use(GranteeKindName(kind)).Use(AccountKey(name)).Into(found.key).Into(found.name);
  if (possible && query.Next()) return found;
  return NoAccount(kind == GranteeKind::kUser ? AccountKind::kUser : AccountKind::kService, name);
}

GranteeKind GranteeKindOf(AccountKind kind) {
  return kind == AccountKind::kUser ? GranteeKind::kUser : GranteeKind::kService;
}

Status InsertAccount(Session& session, const AccountRecord& account) {
  RETURN_IF_ERROR(CheckStorable("the account's ID", account.id));
  RETURN_IF_ERROR(CheckStorable("the account's name", account.name));
  RETURN_IF_ERROR(CheckStorable("the name of who adds the account", account.created_by));
  Query query(session, kAddAccount);
  query.Use(account.id).Use(AccountKindName(account.kind)).Use(account.name);
  query.Use(AccountKey(account.name)).Use(std::int64_t{account.admin ? 1 : 0});
  query.Use(account.created_at).Use(account.created_by).Use(account.disabled_at);
  if (query.Run() != 0) return {};
  return FailConflict(
      "there is already a {} named \"{}\", in this or another letter case: choose another name",
      account.kind == AccountKind::kUser ? "user" : "service account", Printable(account.name));
}

Result<AccountRecord> HoldUser(Session& session, std::string_view name) {
  if (!IsStorable(name)) return NoAccount(AccountKind::kUser, name);
  AccountRow row;
  Query query(session, kHoldUser);
  query.Use(AccountKey(name));
  row.Bind(query);
  if (!query.Next()) return NoAccount(AccountKind::kUser, name);
  return row.ToRecord();
}

Result<AccountRecord> HoldAccount(Session& session, std::string_view id, std::string_view what) {
  AccountRow row;
  Query query(session, kHoldAccount);
  query.Use(IsStorable(id) ? id : std::string_view());
  row.Bind(query);
  if (query.Next()) return row.ToRecord();
  return FailNotFound(
      "the account of {} does not exist (any longer): list the accounts to see their names", what);
}

std::string AuditTarget(const AccountRecord& account) {
  return fmt::format("{}:{}", AccountKindName(account.kind), account.name);
}

Failure NoAccount(AccountKind kind, std::string_view name) {
  const bool user = kind == AccountKind::kUser;
  return FailNotFound("there is no {} named \"{}\": list them to see their names",
                      user ? "user" : "service account", Printable(name));
}

Failure NoGroup(std::string_view name) {
  return FailNotFound("there is no group named \"{}\": list the groups to see their names",
                      Printable(name));
}

}  // namespace koya::sql
