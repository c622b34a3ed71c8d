// Keeps what is held of other registries within its bound: the least recently used go first.
#pragma once

#include <cstdint>

#include "blobs/blob_store.h"
#include "catalog/catalog.h"

namespace koya::service {

struct EvictionReport {
  std::uint64_t packages = 0;
  std::uint64_t bytes = 0;
};

// Lets go of packages until at most `max_bytes` are held; 0: no bound. What is pinned stays, so a
// package that is asked for again comes back with the same bytes. What was published here never
// goes, even when a mirrored package has the same bytes. Fails: as the catalog and blobs.
Task<EvictionReport> EnforceMirrorBound(Catalog& catalog, BlobStore& blobs,
                                        std::uint64_t max_bytes);

}  // namespace koya::service
