// Serializes writers of one namespace, where there is no row of theirs to lock.
#pragma once

#include <string>

#include "catalog/sql/engine/session.h"

namespace koya::sql {

// Takes the lock, and holds it until the caller's write transaction ends. SQLite has one writer
// anyway. Call it before locking any row: two transactions that lock in different orders would wait
// for each other. Throws as SOCI does.
void LockNamespace(Session& session, const std::string& ns);

}  // namespace koya::sql
