// Implements AccountCatalog: accounts and groups in the database. The last administrator stays.
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
#include "domain/account_record.h"
#include "domain/page.h"

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

}  // namespace koya::sql
