// Reads rows of account, and looks up accounts and groups by name.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/sql/engine/columns.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"

namespace koya::sql {

// The table's alias is a.
inline constexpr auto kAccountColumns =
    Columns(Column<&AccountRecord::id>("a.id"), Column<&AccountRecord::kind>("a.kind"),
            Column<&AccountRecord::name>("a.name"), Column<&AccountRecord::admin>("a.admin"),
            Column<&AccountRecord::created_at>("a.created_at"),
            Column<&AccountRecord::created_by>("a.created_by"),
            Column<&AccountRecord::disabled_at>("a.disabled_at"),
            Column<&AccountRecord::language>("a.language").OrNull());

// The key by which names of accounts and groups are looked up.
std::string AccountKey(std::string_view name);

// The key that grants and memberships refer to: the account's id, the group's key. Fails:
// kNotFound.
Result<std::string> FindGrantee(Session& session, GranteeKind kind, std::string_view name);
// Likewise, with the name in its stored letter case.
struct Grantee {
  std::string key, name;
};
Result<Grantee> FindNamedGrantee(Session& session, GranteeKind kind, std::string_view name);
GranteeKind GranteeKindOf(AccountKind kind);

// REQUIRES: LockAccess. Fails: kConflict when the name is taken among its kind; kInvalid: a text of
// it cannot be stored.
Status InsertAccount(Session& session, const AccountRecord& account);

// Lock an account against changes until the caller's write transaction ends. Fail: kNotFound.
// By its id; `what` is created for it ("the token").
Result<AccountRecord> HoldAccount(Session& session, std::string_view id, std::string_view what);
// By user name, in any letter case.
Result<AccountRecord> HoldUser(Session& session, std::string_view name);
// The account's name in the audit log: "user:Ada".
std::string AuditTarget(const AccountRecord& account);

Failure NoAccount(AccountKind kind, std::string_view name);
Failure NoGroup(std::string_view name);

}  // namespace koya::sql
