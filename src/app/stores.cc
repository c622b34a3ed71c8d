#include "app/stores.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "app/process_limits.h"
#include "blobs/fs/fs_blob_store.h"

namespace koya {
namespace {

Status MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  bool made = std::filesystem::create_directories(folder, error);
  if (error) {
    return Fail(
        error == std::errc::no_space_on_device ? ErrorKind::kStorageFull : ErrorKind::kInvalid,
        fmt::format("the data folder {} cannot be created ({}): name another with --data, or let "
                    "this user write there",
                    folder.string(), error.message()));
  }
  // Only the owner may read the contents (tokens' hashes, unpublished bytes).
  if (made) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  return {};
}

std::string CatalogUrl(const Settings& settings) {
  if (!settings.catalog.url.empty()) return settings.catalog.url;
  return "sqlite:" + (settings.server.data / "koya.db").string();
}

}  // namespace

CatalogOptions CatalogOptionsOf(const Settings& settings) {
  return {.url = CatalogUrl(settings),
          .readers = settings.catalog.readers,
          .writers = settings.catalog.writers,
          .read_timeout = settings.catalog.read_timeout,
          .write_timeout = settings.catalog.write_timeout,
          .blob_ledger = !settings.blobs.url.empty(),
          .migrate = settings.catalog.wait_for_migration ? CatalogOptions::Migrate::kWait
                                                         : CatalogOptions::Migrate::kAuto};
}

Result<Stores> OpenStores(const Settings& settings, Logger& log,
                          std::function<void(const SchemaReport&)> on_migrated) {
  const std::filesystem::path& data = settings.server.data;
  Stores stores;
  stores.scratch_folder = data / "scratch";
  RETURN_IF_ERROR(MakeFolder(data));
  RETURN_IF_ERROR(MakeFolder(stores.scratch_folder));
  // The catalog first: it holds the lock that keeps a second server out of the folder.
  CatalogOptions catalog = CatalogOptionsOf(settings);
  catalog.on_migrated = std::move(on_migrated);
  ASSIGN_OR_RETURN(stores.catalog, OpenCatalog(std::move(catalog)));
  // Readers have threads of their own: uploads that wait for the disk are no matter of theirs.
  stores.blob_readers = std::make_unique<WorkerPool>(settings.workers.threads);
  stores.blob_writers = std::make_unique<WorkerPool>(settings.workers.threads);
  stores.open_files = std::make_unique<OpenFiles>(DescriptorBudget::Of(DescriptorLimit()).files);
  FsBlobParts parts{*stores.blob_readers, *stores.blob_writers, *stores.open_files};
  if (settings.blobs.url.empty()) {
    ASSIGN_OR_RETURN(stores.folder, FsBlobStore::Open((data / "blobs").string(), parts));
    stores.blobs = stores.folder.get();
  } else {
    ASSIGN_OR_RETURN(stores.bucket, Bucket::Open(settings, {*stores.catalog, parts, log}));
    stores.blobs = &stores.bucket->store();
  }
  return stores;
}

}  // namespace koya
