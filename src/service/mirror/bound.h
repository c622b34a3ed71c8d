// Keeps what is held of other registries within its bound: the least recently used go first.
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

struct MirrorBound {
  std::uint64_t max_bytes = 0;  // 0: no bound
  // The registries that may be pulled from: what is held of any other was imported, could not be
  // fetched again, and stays.
  std::vector<HostName> hosts;
};

// Lets go of packages and modules until at most `bound.max_bytes` are held, or nothing is left that
// could come back and was not fetched within the last two minutes. Uses count to the hour, as they
// are noted once an hour: what was noted longer ago may go though it was used just now. What is
// pinned stays, so a package that is asked for again comes back with the same bytes. What was
// published here never goes, even when a mirrored package has the same bytes, and neither does what
// an import has too. Several servers may do it at once. When `stop` is set, which outlives the
// call, it ends soon with what was done so far. Fails: as the catalog and blobs.
Task<EvictionReport> EnforceMirrorBound(UpstreamCatalog& catalog, BlobReferences& references,
                                        BlobStore& blobs, MirrorBound bound,
                                        const std::atomic<bool>& stop);

// Removes those of `digests` that nothing needs and that nobody has just committed anew: what is
// too young now is left to the collection of garbage; so is the rest when `stop`, if there is one,
// is set meanwhile.
Task<void> RemoveUnneeded(BlobReferences& references, BlobStore& blobs, std::vector<Digest> digests,
                          const std::atomic<bool>* stop = nullptr);

}  // namespace koya::service
