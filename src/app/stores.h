// The stores behind a server. The only place that names concrete backends.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "app/bucket.h"
#include "app/settings.h"
#include "base/offload.h"
#include "blobs/blob_store.h"
#include "blobs/fs/open_files.h"
#include "catalog/catalog.h"
#include "catalog/sql/open_catalog.h"
#include "obs/log.h"

namespace koya {

// Members are ordered so that each is destroyed after its users.
struct Stores {
  std::unique_ptr<WorkerPool> blob_readers;
  std::unique_ptr<WorkerPool> blob_writers;
  std::unique_ptr<OpenFiles> open_files;
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<Bucket> bucket;        // with blobs.url = s3://…
  std::unique_ptr<BlobStore> folder;     // otherwise
  BlobStore* blobs = nullptr;            // `bucket`'s or `folder`
  std::filesystem::path scratch_folder;  // on the blobs' disk
};

// Options for the catalog that the settings name.
CatalogOptions CatalogOptionsOf(const Settings& settings);

// Opens the stores that the settings name, and creates missing ones. Blocks. `on_migrated`: see
// CatalogOptions.
//   <data>/koya.db    the catalog, unless catalog.url names another
//   <data>/blobs/     archives, unless blobs.url names a bucket
//   <data>/cache/     the bucket's cache on this machine, unless cache.folder names another
//   <data>/scratch/   modules of other registries while they are fetched
// Fails: kInvalid, kUnavailable (a second server holds the folder), kCorrupt, kStorageFull; the
// message names the file or the database, and a remedy. `log` must outlive the stores.
Result<Stores> OpenStores(const Settings& settings, Logger& log,
                          std::function<void(const SchemaReport&)> on_migrated = {});

}  // namespace koya
