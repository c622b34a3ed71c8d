// Locks that serialize writers, where there is no row of theirs to lock.
#pragma once

#include <string>

#include "catalog/sql/engine/session.h"

namespace koya::sql {

// Serializes changes to accounts, groups, grants, and who may sign in.
//
// Takes the lock, and holds it until the caller's write transaction ends. SQLite has one writer
// anyway. All these transactions append a change at their end, where writers are serialized too, so
// that waiting from the start costs them nothing, and what they read stays unchanged until they
// write. Call it before locking any row. Throws as SOCI does.
void LockAccess(Session& session);

// Serializes writers of one namespace.
//
// Takes the lock, and holds it until the caller's write transaction ends. SQLite has one writer
// anyway. Call it before locking any row: two transactions that lock in different orders would wait
// for each other. Throws as SOCI does.
void LockNamespace(Session& session, const std::string& ns);

}  // namespace koya::sql
