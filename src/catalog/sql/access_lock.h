// Turns for whoever changes accounts, groups, grants, or who may sign in.
#pragma once

#include "catalog/sql/session.h"

namespace koya::sql {

// Waits for its turn, which lasts until the caller's write transaction ends. SQLite has one writer
// anyway. All these transactions append a change at their end, where writers take turns too, so
// that waiting from the start costs them nothing, and what they read stays as it is until they
// write. Take it before any row's lock. Throws as SOCI does.
void LockAccess(Session& session);

}  // namespace koya::sql
