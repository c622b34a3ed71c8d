// Keeps what is held of other registries within its bound: the least recently used go first.
#pragma once

#include <cstdint>
#include <vector>

#include "blobs/blob_store.h"
#include "catalog/catalog.h"
#include "domain/host_name.h"

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
// could come back. What is pinned stays, so a package that is asked for again comes back with the
// same bytes. What was published here never goes, even when a mirrored package has the same bytes.
// Fails: as the catalog and blobs.
Task<EvictionReport> EnforceMirrorBound(Catalog& catalog, BlobStore& blobs, MirrorBound bound);

}  // namespace koya::service
