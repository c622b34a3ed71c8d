// Serializes changes to accounts, groups, grants, and who may sign in.
#pragma once

#include "catalog/sql/engine/session.h"

namespace koya::sql {

// Takes the lock, and holds it until the caller's write transaction ends. SQLite has one writer
// anyway. All these transactions append a change at their end, where writers are serialized too, so
// that waiting from the start costs them nothing, and what they read stays unchanged until they
// write. Call it before locking any row. Throws as SOCI does.
void LockAccess(Session& session);

}  // namespace koya::sql
