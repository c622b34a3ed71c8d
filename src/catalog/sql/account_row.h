// A row of account as it comes out of the database, and what is found by the names of accounts and
// groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/sql/query.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"

namespace koya::sql {

struct AccountRow {
  // What a SELECT names, in the order of Bind. The table is called a.
#define KOYA_ACCOUNT_COLUMNS                                                   \
  "a.id, a.kind, a.name, a.admin, a.created_at, a.created_by, a.disabled_at, " \
  "COALESCE(a.language, '')"

  void Bind(Query& query);
  // Fails: kCorrupt when the row holds what this program never writes.
  Result<AccountRecord> ToRecord() const;

  std::string id, kind, name, created_by, language;
  std::int64_t admin = 0;
  std::int64_t created_at = 0;
  std::optional<std::int64_t> disabled_at;
};

// By the kind as a column holds it. Fails: kCorrupt.
Result<AccountKind> ReadAccountKind(std::string_view kind);

// What the names of accounts and groups are looked up by.
std::string AccountKey(std::string_view name);

// What a grant or a membership calls them by: the account's id, the group's key. Fails: kNotFound.
Result<std::string> FindGrantee(Session& session, GranteeKind kind, std::string_view name);
// The same, with the name in the letter case in which it is stored.
struct Grantee {
  std::string key, name;
};
Result<Grantee> FindNamedGrantee(Session& session, GranteeKind kind, std::string_view name);
GranteeKind GranteeKindOf(AccountKind kind);

// REQUIRES: LockAccess. Fails: kConflict when the name is taken among its kind; kInvalid: a text of
// it cannot be kept.
Status InsertAccount(Session& session, const AccountRecord& account);

// Keep an account as it is until the caller's write transaction ends. Fail: kNotFound.
// By its id; `what` is made for it ("the token").
Result<AccountRecord> HoldAccount(Session& session, std::string_view id, std::string_view what);
// The user of that name, in any letter case.
Result<AccountRecord> HoldUser(Session& session, std::string_view name);
// What the audit log calls it: "user:Ada".
std::string AuditTarget(const AccountRecord& account);

Failure NoAccount(AccountKind kind, std::string_view name);
Failure NoGroup(std::string_view name);

}  // namespace koya::sql
