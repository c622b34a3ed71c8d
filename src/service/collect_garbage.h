// Removes blobs that no record needs: what a crash between "data" and "record" left behind, and
// archives of withdrawn versions. Young blobs stay: a publish may be about to name them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "blobs/blob_store.h"
#include "catalog/catalog.h"

namespace koya::service {

struct GarbageReport {
  std::uint64_t examined = 0;
  std::uint64_t removed = 0;
  std::uint64_t removed_bytes = 0;
};

struct GarbageOptions {
  // Blobs committed within it stay. It must exceed the longest time between a blob's commit and
  // its record's, by far: hours.
  std::chrono::seconds grace = std::chrono::hours(24);
  const std::atomic<bool>& stop;  // set: ends soon, with what was done so far
};

// Removes the unreferenced blobs that are older than the grace. Fails: as the catalog and blobs.
Task<GarbageReport> CollectGarbage(ModuleCatalog& catalog, BlobStore& blobs,
                                   GarbageOptions options);

}  // namespace koya::service
