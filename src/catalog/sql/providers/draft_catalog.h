// Implements DraftCatalog: drafts of releases in the database.
//
// Every change to a draft's files locks the draft's row first: uploads into one draft are
// serialized for a moment, and cannot deadlock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/provider_catalog.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {

// Removes a draft, for the release that is made of it, provided that it is unchanged since it was
// read. Within the caller's transaction. Fails: kNotFound when it is gone, kConflict when it holds
// other files.
Status TakeDraft(Session& session, const DraftRecord& draft);

}  // namespace koya::sql
