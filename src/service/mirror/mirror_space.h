// Bounds the space that bytes of other registries take. DiskQuota checks whether the disk has space
// for them: publishing, the catalog and the log must go on when pulls no longer can. Cached
// packages and modules beyond a size limit are evicted, least recently used first.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "domain/host_name.h"

namespace koya {
class BlobReferences;
class BlobStore;
class Digest;
class UpstreamCatalog;
}  // namespace koya

namespace koya::service {

// Current state of a disk.
struct DiskSpace {
  std::uint64_t blocks = 0;
  std::uint64_t free_blocks = 0;  // for processes without root rights
  std::uint64_t block_size = 1;
};

// Blocks for a system call. nullopt: the state cannot be read.
std::optional<DiskSpace> LookAtDisk(const std::filesystem::path& folder);

struct DiskQuota {
  std::filesystem::path folder;     // a folder on the disk; empty: no check
  std::uint64_t least_percent = 0;  // setting mirror.min_free
  // Bytes that may arrive before the disk is checked again.
  std::uint64_t look_every = 8ULL << 20;
  std::function<std::optional<DiskSpace>(const std::filesystem::path&)> look = &LookAtDisk;

  // Blocks for a system call. Fails: kStorageFull, naming the setting, when `bytes` more would
  // leave less than least_percent free. A disk whose state cannot be read counts as one with space.
  Status Check(std::uint64_t bytes = 0) const;
};

// Rechecks the disk while a file arrives: the announced size is often zero, and others write to the
// same disk meanwhile. One thread at a time. `room` must outlive it.
class DiskReservation {
 public:
  explicit DiskReservation(const DiskQuota& room) : room_(room) {}

  // Adds arrived bytes; checks the disk every `look_every` bytes. Fails: as DiskQuota::Check.
  Status Add(std::uint64_t bytes);

 private:
  const DiskQuota& room_;
  std::uint64_t unseen_ = 0;
};

struct EvictionReport {
  std::uint64_t packages = 0;
  std::uint64_t bytes = 0;
};

struct CacheEviction {
  std::uint64_t max_bytes = 0;  // 0: no limit
  // Registries that may be pulled from. Bytes of any other registry were imported, could not be
  // fetched again, and stay.
  std::vector<HostName> hosts;
};

// Evicts packages and modules until at most `bound.max_bytes` are cached, or until nothing
// evictable is left: only bytes that can be fetched again and that were not fetched within the last
// two minutes are evicted. Uses are recorded once an hour: bytes whose last recorded use is older
// may be evicted although they were used just now. Pins stay, so an evicted package comes back with
// the same bytes. Bytes that were published here are never evicted, even when a mirrored package
// has the same bytes, and neither are bytes that an import has, too. Several servers may run it at
// the same time. When `stop` is set, which outlives the call, it ends soon and returns the work
// done so far. Fails: as the catalog and blobs.
Task<EvictionReport> EnforceMirrorBound(UpstreamCatalog& catalog, BlobReferences& references,
                                        BlobStore& blobs, CacheEviction bound,
                                        const std::atomic<bool>& stop);

// Deletes those of `digests` that are unreferenced and were not just committed again: blobs that
// are too young are left to garbage collection, and so is the rest when `stop` (may be null) is set
// meanwhile.
Task<void> RemoveUnneeded(BlobReferences& references, BlobStore& blobs, std::vector<Digest> digests,
                          const std::atomic<bool>* stop = nullptr);

}  // namespace koya::service
