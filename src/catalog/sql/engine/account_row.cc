#include "catalog/sql/engine/account_row.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kFindAccountId{
    "find_account_id", "SELECT id, name FROM account WHERE kind = :kind AND name_key = :name_key"};
constexpr Statement kFindGroupKey{"find_group_key",
                                  "SELECT name_key, name FROM account_group "
                                  "WHERE name_key = :name_key"};
constexpr auto kAddAccount =
    Sql("add_account", "INSERT INTO account (name_key, ", kNames<kAccountColumns>,
        ") VALUES (:name_key, ", kValues<kAccountColumns>, ") ON CONFLICT DO NOTHING");
constexpr auto kHoldAccount = Sql("hold_account", "SELECT ", kSelect<kAccountColumns>,
                                  " FROM account a WHERE a.id = :id {{for share}}");
constexpr auto kHoldUser =
    Sql("hold_user", "SELECT ", kSelect<kAccountColumns>,
        " FROM account a WHERE a.kind = 'user' AND a.name_key = :name_key {{for share}}");

}  // namespace

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
  query.Use(AccountKey(account.name));
  if (UseRecord(query, kAccountColumns, account).Run() != 0) return {};
  return FailConflict(
      "there is already a {} named \"{}\", in this or another letter case: choose another name",
      account.kind == AccountKind::kUser ? "user" : "service account", Printable(account.name));
}

Result<AccountRecord> HoldUser(Session& session, std::string_view name) {
  if (!IsStorable(name)) return NoAccount(AccountKind::kUser, name);
  Query query(session, kHoldUser);
  query.Use(AccountKey(name));
  RecordReader reader(query, kAccountColumns);
  if (!query.Next()) return NoAccount(AccountKind::kUser, name);
  return reader.Read();
}

Result<AccountRecord> HoldAccount(Session& session, std::string_view id, std::string_view what) {
  Query query(session, kHoldAccount);
  query.Use(IsStorable(id) ? id : std::string_view());
  RecordReader reader(query, kAccountColumns);
  if (query.Next()) return reader.Read();
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
