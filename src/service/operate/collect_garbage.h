// Removes blobs that no record references: leftovers of a crash between "data" and "record", files
// of abandoned drafts, and archives of withdrawn versions. Young blobs stay: a publish may be about
// to record them.
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

// Totals over all collections, including failed ones, for metrics.
struct GarbageTotals {
  std::atomic<std::uint64_t> drafts = 0;
  std::atomic<std::uint64_t> examined = 0;
  std::atomic<std::uint64_t> marked = 0;  // removed, or marked for removal in a remote store
  std::atomic<std::uint64_t> marked_bytes = 0;
};

struct GarbageOptions {
  // Blobs committed within this time stay. It must exceed by far (hours) the longest time between
  // the commit of a blob and that of its record.
  std::chrono::seconds grace = std::chrono::hours(24);
  // Drafts keep their files for this long after they expire: the commit of a draft that was found
  // just before its expiry may still be running.
  std::chrono::seconds draft_leeway = std::chrono::hours(1);
  UnixSeconds now = 0;
  const std::atomic<bool>& stop;    // when set, ends soon and reports the work done so far
  GarbageTotals* totals = nullptr;  // totals to update, or null; must outlive the call
};

// Removes expired drafts, then unreferenced blobs that are older than `grace`. Memory is constant,
// whatever the number of blobs. Several servers may run it at once. Fails: as the catalog and
// blobs.
Task<GarbageReport> CollectGarbage(DraftCatalog& drafts, BlobReferences& references,
                                   BlobStore& blobs, GarbageOptions options);

}  // namespace koya::service
