// Turns for writers of one namespace, where no row of theirs is there to be locked.
#pragma once

#include <string>

#include "catalog/sql/session.h"

namespace koya::sql {

// Waits for its turn, which lasts until the caller's write transaction ends. SQLite has one writer
// anyway. Take it before any row's lock: two transactions that took them in different orders would
// wait for each other. Throws as SOCI does.
void LockNamespace(Session& session, const std::string& ns);

}  // namespace koya::sql
