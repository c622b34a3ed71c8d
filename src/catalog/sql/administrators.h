// Whether somebody may do everything, and that the last one stays.
#pragma once

#include <string_view>

#include "base/result.h"
#include "catalog/sql/session.h"

namespace koya::sql {

// Of a row of token, as a condition: whoever has it may do everything now. All are administrators
// besides who are enabled accounts with that right.
#define KOYA_UNLIMITED_TOKEN                     \
  "(account_id IS NULL AND scope = 'admin' AND " \
  "namespaces = '' AND (expires_at IS NULL OR expires_at > {{now}}))"

// Reads one row.
Result<bool> HasAdministrator(Session& session);

// To be called after `who`, who could do everything, was disabled, removed or restricted. REQUIRES:
// LockAccess. Fails: kConflict when nobody is left: the caller's transaction then takes it back.
Status CheckSomebodyIsLeft(Session& session, std::string_view who);

}  // namespace koya::sql
