// Implements UpstreamModules: module versions of other registries in the database. Locks:
// upstream_releases.h.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

// Within the caller's transaction. Fails: kNotFound.
Result<UpstreamModuleVersion> FindUpstreamModule(Session& session, const UpstreamModule& module,
                                                 const Version& version);

}  // namespace koya::sql
