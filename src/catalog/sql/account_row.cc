#include "catalog/sql/account_row.h"

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/sql/module_version_row.h"
#include "catalog/sql/text_column.h"

namespace koya::sql {
namespace {

constexpr Statement kFindAccountId{
    "find_account_id", "SELECT id FROM account WHERE kind = :kind AND name_key = :name_key"};
constexpr Statement kFindGroupKey{"find_group_key",
                                  "SELECT name_key FROM account_group WHERE name_key = :name_key"};
constexpr Statement kHoldAccount{"hold_account",
                                 "SELECT id FROM account WHERE id = :id {{for share}}"};

}  // namespace

void AccountRow::Bind(Query& query) {
  query.Into(id).Into(kind).Into(name).Into(admin).Into(created_at).Into(created_by);
  query.Into(disabled_at);
}

Result<AccountRecord> AccountRow::ToRecord() const {
  ASSIGN_OR_RETURN(AccountKind parsed, ReadAccountKind(kind));
  return AccountRecord{.id = id,
                       .kind = parsed,
                       .name = name,
                       .admin = admin != 0,
                       .created_at = created_at,
                       .created_by = created_by,
                       .disabled_at = disabled_at};
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
  std::string found;
  const bool possible = IsStorable(name);
  if (kind == GranteeKind::kGroup) {
    Query query(session, kFindGroupKey);
    if (possible && query.Use(AccountKey(name)).Into(found).Next()) return found;
    return NoGroup(name);
  }
  Query query(session, kFindAccountId);
  query.Use(GranteeKindName(kind)).Use(AccountKey(name)).Into(found);
  if (possible && query.Next()) return found;
  return NoAccount(kind == GranteeKind::kUser ? AccountKind::kUser : AccountKind::kService, name);
}

GranteeKind GranteeKindOf(AccountKind kind) {
  return kind == AccountKind::kUser ? GranteeKind::kUser : GranteeKind::kService;
}

Status HoldAccount(Session& session, std::string_view id) {
  std::string found;
  Query query(session, kHoldAccount);
  if (IsStorable(id) && query.Use(id).Into(found).Next()) return {};
  return Fail(ErrorKind::kNotFound,
              "the account that the token is for is not there (any more): list the accounts to see "
              "which there are");
}

Failure NoAccount(AccountKind kind, std::string_view name) {
  const bool user = kind == AccountKind::kUser;
  return Fail(ErrorKind::kNotFound,
              fmt::format("there is no {} named \"{}\": list them to see which there are",
                          user ? "user" : "service account", Printable(name)));
}

Failure NoGroup(std::string_view name) {
  return Fail(ErrorKind::kNotFound,
              fmt::format("there is no group named \"{}\": list the groups to see which there are",
                          Printable(name)));
}

}  // namespace koya::sql
