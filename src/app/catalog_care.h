// What is done to a catalog by hand, without a server on it.
#pragma once

#include <string>

#include "app/settings.h"
#include "base/result.h"
#include "catalog/sql/open_catalog.h"

namespace koya {

// Takes the steps of the schema that the settings' catalog lacks; `contract`: also those that a
// server that runs does not know. Blocks. Fails: as OpenCatalog.
Result<SchemaReport> MigrateSchema(const Settings& settings, bool contract);

// From now on servers on the catalog must have this server's secret. What was sealed with the one
// before stays shut. Blocks. Fails: as OpenCatalog and LoadServerSecret.
Status TakeSecret(const Settings& settings);

// Makes the bucket of blobs.url this catalog's, whosever it was. Blocks. Returns its name, as
// Bucket::where(). Fails: kInvalid: blobs.url names none, or a setting does not fit it;
// kUnavailable; as OpenCatalog and LoadServerSecret.
Result<std::string> AdoptBucket(const Settings& settings);

}  // namespace koya
