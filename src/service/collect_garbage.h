// Removes blobs that no record needs: what a crash between "data" and "record" left behind, files
// of drafts that nobody finished, and archives of withdrawn versions. Young blobs stay: a publish
// may be about to name them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/task.h"

namespace koya {
class BlobReferences;
class BlobStore;
class DraftCatalog;
}  // namespace koya

namespace koya::service {

struct GarbageReport {
  std::uint64_t drafts = 0;  // expired ones, removed
  std::uint64_t examined = 0;
  std::uint64_t removed = 0;
  std::uint64_t removed_bytes = 0;
};

// The same over all collections, failed ones included, for metrics.
struct GarbageTotals {
  std::atomic<std::uint64_t> drafts = 0;
  std::atomic<std::uint64_t> examined = 0;
  std::atomic<std::uint64_t> marked = 0;  // removed or, in a remote store, let go of
  std::atomic<std::uint64_t> marked_bytes = 0;
};

struct GarbageOptions {
  // Blobs committed within it stay. It must exceed the longest time between a blob's commit and
  // its record's, by far: hours.
  std::chrono::seconds grace = std::chrono::hours(24);
  // Drafts keep their files for so long after they expired: the commit of a draft that was found a
  // moment before its end may still be at work.
  std::chrono::seconds draft_leeway = std::chrono::hours(1);
  UnixSeconds now = 0;
  const std::atomic<bool>& stop;    // set: ends soon, with what was done so far
  GarbageTotals* totals = nullptr;  // where to add what is done, if anywhere; outlives it
};

// Removes the expired drafts, then the unreferenced blobs that are older than the grace. Takes the
// same memory however many blobs there are. Several servers may do it at once. Fails: as the
// catalog and blobs.
Task<GarbageReport> CollectGarbage(DraftCatalog& drafts, BlobReferences& references,
                                   BlobStore& blobs, GarbageOptions options);

}  // namespace koya::service
