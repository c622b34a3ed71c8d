// Implements ContentsCatalog: the contents of modules, in the database.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catalog/contents_catalog.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {

// Within the transaction that adds a version: stores the extras that are given; others stay as they
// are. Call it where PutSearchEntries may be called. Fails: as ContentsCatalog::PutContents.
Status PutExtras(Session& session, const ModuleSubject& subject, const VersionExtras& extras);

// Within the transaction that withdraws the version.
void ForgetContents(Session& session, const ModuleSubject& subject);

}  // namespace koya::sql
