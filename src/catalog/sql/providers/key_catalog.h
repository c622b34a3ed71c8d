// Implements KeyCatalog: signing keys in the database.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/key_catalog.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {

// Prevents the removal of a key that may sign new releases until the caller's transaction ends.
// Fails: kConflict when the namespace has no such key, or it was removed, unless `removed_too`.
Status HoldKey(Session& session, const std::string& ns, const std::string& fingerprint,
               bool removed_too);

}  // namespace koya::sql
