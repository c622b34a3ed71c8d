// What the parts of the catalog for accounts, groups, namespaces and grants share in the database.
// The last administrator stays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/access_catalog.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/session.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"
#include "domain/page.h"
#include "domain/version_step.h"

namespace koya::sql {

// SQL condition on a row of token: the token alone makes its bearer an administrator now. All other
// administrators are enabled accounts with that right.
#define KOYA_UNLIMITED_TOKEN                     \
  "(account_id IS NULL AND scope = 'admin' AND " \
  "namespaces = '' AND (expires_at IS NULL OR expires_at > {{now}}))"

// Reads one row.
Result<bool> HasAdministrator(Session& session);

// Call after `who`, an administrator, was disabled, removed or restricted. REQUIRES: LockAccess.
// Fails: kConflict when no administrator is left: the caller's transaction is then rolled back.
Status CheckAnAdministratorRemains(Session& session, std::string_view who);

// The audit log's entries on the membership of groups. In group_catalog.cc.
AuditedChange MemberAdded(std::string_view group, const MemberRecord& member);
AuditedChange MemberRemoved(std::string_view group, const MemberRecord& member);

// Checks that the namespace, in any letter case, has a record; records are never removed. Fails:
// kNotFound.
Status CheckNamespace(Session& session, const std::string& ns);

// Removes every role of an account or group, by the key of FindGrantee, within the caller's write
// transaction. Returns the removed roles for the audit log, as "acme:publisher", by namespace.
std::vector<std::string> RemoveGrantsOf(Session& session, GranteeKind kind,
                                        const std::string& grantee);

// The error for a namespace without a record.
Failure NoNamespace(std::string_view ns);

}  // namespace koya::sql
