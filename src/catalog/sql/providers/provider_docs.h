// Implements ProviderDocsCatalog: docs and schemas of providers, in the database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/provider_catalog.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {

// Checks the input of PutDocs. Fails: kInvalid: a text that is not UTF-8, or has a NUL.
Status CheckDocs(const ReleaseExtras& extras);

// Within the transaction that adds the release. REQUIRES: CheckDocs. Throws as SOCI does, also for
// a duplicate name.
void PutDocs(Session& session, std::int64_t release_id, const ReleaseExtras& extras);

}  // namespace koya::sql
