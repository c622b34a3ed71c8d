// Checks whether there is an administrator, and that the last one stays.
#pragma once

#include <string_view>

#include "base/result.h"
#include "catalog/sql/engine/session.h"

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

}  // namespace koya::sql
