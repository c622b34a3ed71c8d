// Implements UpstreamReleases: releases of other registries in the database.
//
// Transactions take locks in this order, so that no two deadlock: a release's or a document's row,
// new packages by platform, held blobs by digest (holdings.h), rows of existing packages, the
// change log.
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
Result<UpstreamRelease> FindUpstreamRelease(Session& session, const UpstreamProvider& provider,
                                            const Version& version);

}  // namespace koya::sql
