// The stores behind a server: the one place that names concrete backends.
#pragma once

#include <filesystem>
#include <memory>

#include "app/settings.h"
#include "base/offload.h"
#include "blobs/blob_store.h"
#include "blobs/fs/open_files.h"
#include "catalog/catalog.h"

namespace koya {

// Members are ordered so that what is used is destroyed after its user.
struct Stores {
  std::unique_ptr<WorkerPool> blob_readers;
  std::unique_ptr<WorkerPool> blob_writers;
  std::unique_ptr<OpenFiles> open_files;
  std::unique_ptr<BlobStore> blobs;
  std::unique_ptr<Catalog> catalog;
  std::filesystem::path scratch_folder;  // on the blobs' disk
};

// Opens, and makes at need, what the settings name. Blocks.
//   <data>/koya.db    the catalog, unless catalog.url names another
//   <data>/blobs/     archives
//   <data>/scratch/   modules of other registries on their way
// Fails: kInvalid, kUnavailable (a second server holds the folder), kCorrupt, kStorageFull; the
// message names the file or the database, and the way back.
Result<Stores> OpenStores(const Settings& settings);

}  // namespace koya
