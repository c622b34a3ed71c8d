// Evicts cached packages and modules of other registries beyond a size limit, least recently used
// first.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/task.h"
#include "domain/host_name.h"

namespace koya {
class BlobReferences;
class BlobStore;
class Digest;
class UpstreamCatalog;
}  // namespace koya

namespace koya::service {

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
