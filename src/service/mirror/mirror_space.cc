#include "service/mirror/mirror_space.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "blobs/blob_store.h"
#include "catalog/storage_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/upstream_record.h"

namespace koya::service {

std::optional<DiskSpace> LookAtDisk(const std::filesystem::path& folder) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return std::nullopt;
  return DiskSpace{.blocks = disk.f_blocks,
                   .free_blocks = disk.f_bavail,
                   .block_size = std::max<std::uint64_t>(disk.f_frsize, 1)};
}

Status DiskReservation::Add(std::uint64_t bytes) {
  unseen_ += bytes;
  if (unseen_ < room_.look_every) return {};
  unseen_ = 0;
  return room_.Check();
}

Status DiskQuota::Check(std::uint64_t bytes) const {
  if (folder.empty() || least_percent == 0) return {};
  std::optional<DiskSpace> disk = look(folder);
  if (!disk) return {};
  // In blocks, and divided first: sizes of disks times a hundred may overflow.
  std::uint64_t taken = bytes / disk->block_size;
  std::uint64_t free = disk->free_blocks - std::min(taken, disk->free_blocks);
  if (free >= disk->blocks / 100 * least_percent) return {};
  return FailLimit(ErrorKind::kStorageFull, "mirror.min_free",
                   fmt::format("this server does not pull from other registries: less than {} % of "
                               "its disk would stay free (mirror.min_free); stored packages are "
                               "still served; have space freed there, or mirror.max_bytes set",
                               least_percent));
}

namespace {

// A publish of the same bytes may have committed the blob and be about to name it.
constexpr std::chrono::seconds kGrace(60);
// Bytes that were fetched recently stay and are counted: their blob may be too young to be deleted
// and would take uncounted space. A later use is recorded once an hour only and gives no guarantee.
// Longer than the grace, since a use is recorded in whole seconds and a file's age by another
// clock.
constexpr std::chrono::seconds kUnusedFor(2 * kGrace);

}  // namespace

Task<void> RemoveUnneeded(BlobReferences& references, BlobStore& blobs, std::vector<Digest> digests,
                          const std::atomic<bool>* stop) {
  ASSIGN_OR_CO_RETURN(std::vector<Digest> unneeded,
                      co_await references.FindUnreferenced(std::move(digests)));
  for (const Digest& digest : unneeded) {
    if (stop != nullptr && *stop) break;
    CO_RETURN_IF_ERROR(co_await blobs.RemoveIfOlder(digest, kGrace));
  }
  co_return Status();
}

Task<EvictionReport> EnforceMirrorBound(UpstreamCatalog& catalog, BlobReferences& references,
                                        BlobStore& blobs, CacheEviction bound,
                                        const std::atomic<bool>& stop) {
  EvictionReport report;
  if (bound.max_bytes == 0) co_return report;
  const EvictionRule rule{
      .max_bytes = bound.max_bytes, .hosts = std::move(bound.hosts), .unused_for = kUnusedFor};
  while (!stop) {
    ASSIGN_OR_CO_RETURN(std::vector<EvictedBlob> evicted, co_await catalog.EvictHeld(rule));
    if (evicted.empty()) break;
    std::vector<Digest> digests;
    for (const EvictedBlob& blob : evicted) {
      digests.push_back(blob.digest);
      ++report.packages;
      report.bytes += blob.size;
    }
    CO_RETURN_IF_ERROR(co_await RemoveUnneeded(references, blobs, std::move(digests), &stop));
  }
  co_return report;
}

}  // namespace koya::service
