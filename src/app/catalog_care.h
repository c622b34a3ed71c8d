// Maintenance of a catalog by hand, without a server on it.
#pragma once

#include <string>

#include "app/settings.h"
#include "base/result.h"
#include "catalog/sql/open_catalog.h"

namespace koya {

// Runs the missing migrations of the settings' catalog; `contract`: also those that a running
// server does not know. Blocks. Fails: as OpenCatalog.
Result<SchemaReport> MigrateSchema(const Settings& settings, bool contract);

// Makes the catalog accept only servers with this server's secret from now on. Data that was sealed
// with the previous secret stays sealed. Blocks. Fails: as OpenCatalog and LoadServerSecret.
Status TakeSecret(const Settings& settings);

// Makes the bucket of blobs.url belong to this catalog, whatever catalog owned it before. Blocks.
// Returns its name, as Bucket::where(). Fails: kInvalid: blobs.url names no bucket, or a setting
// does not fit it; kUnavailable; as OpenCatalog and LoadServerSecret.
Result<std::string> AdoptBucket(const Settings& settings);

}  // namespace koya
