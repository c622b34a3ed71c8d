// Removes blobs that no record references: leftovers of a crash between "data" and "record", files
// of abandoned drafts, and archives of withdrawn versions. Young blobs stay: a publish may be about
// to record them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "blobs/blob_store.h"
#include "domain/storage_record.h"

namespace koya {
class BlobReferences;
class Catalog;
class DraftCatalog;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

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
  static constexpr std::chrono::seconds kDraftLeeway = std::chrono::hours(1);

  // Blobs committed within this time stay. It must exceed by far (hours) the longest time between
  // the commit of a blob and that of its record.
  std::chrono::seconds grace = std::chrono::hours(24);
  // Drafts keep their files for this long after they expire: the commit of a draft that was found
  // just before its expiry may still be running.
  std::chrono::seconds draft_leeway = kDraftLeeway;
  UnixSeconds now = 0;
  const std::atomic<bool>& stop;    // when set, ends soon and reports the work done so far
  GarbageTotals* totals = nullptr;  // totals to update, or null; must outlive the call
};

// Removes expired drafts, then unreferenced blobs that are older than `grace`. Memory is constant,
// whatever the number of blobs. Several servers may run it at once. Fails: as the catalog and
// blobs.
Task<GarbageReport> CollectGarbage(DraftCatalog& drafts, BlobReferences& references,
                                   BlobStore& blobs, GarbageOptions options);

// What a collection would remove now, and what keeps the rest: sums over a part of the blobs.
struct GarbagePlan {
  // The number of blobs that are named.
  static constexpr std::size_t kMostNamed = 100;

  // Removed:
  StoredSum unused;          // without references since longer than the grace
  StoredSum expired_drafts;  // files of expired drafts, unless something else refers to them
  StoredSum due;             // objects of a remote store whose time in the trash is over
  std::vector<BlobInfo> named = {};  // the first of `unused`, by digest
  // Stay:
  StoredSum referenced;   // by versions, drafts and mirrored packages
  StoredSum open_drafts;  // files of drafts that have not expired
  StoredSum young;        // without references, but the grace is not over
  StoredSum leaving;      // objects of a remote store, in the trash
  StoredSum arriving;     // uploads that are not complete
  // Where the next part begins; nullopt: this is the last one. Sums of drafts and of objects are in
  // the first part.
  std::optional<Digest> next = {};
  std::string collector = {};  // the server that collects now; "": none does
};

// GarbagePlanner shows what CollectGarbage would do. Changes nothing.
class GarbagePlanner {
 public:
  struct Rules {
    std::chrono::seconds grace{};
    std::chrono::seconds trash_for{};  // 0: blobs lie in a folder
  };
  // All arguments must outlive this.
  GarbagePlanner(Catalog& catalog, BlobStore& blobs, const Clock& clock, Rules rules)
      : catalog_(catalog), blobs_(blobs), clock_(clock), rules_(rules) {}

  // The part after `after`, some thousand blobs. Fails: kForbidden (administrators only); as the
  // catalog and the store.
  Task<GarbagePlan> Plan(auth::Principal by, std::optional<Digest> after);
  Rules rules() const { return rules_; }

 private:
  Task<void> AddPage(GarbagePlan& plan, std::vector<BlobInfo> page);
  Task<void> AddDrafts(GarbagePlan& plan);
  Task<void> AddObjects(GarbagePlan& plan);

  Catalog& catalog_;
  BlobStore& blobs_;
  const Clock& clock_;
  const Rules rules_;
};

// The name of the lease under which one server collects.
inline constexpr const char* kGarbageLease = "gc";

}  // namespace koya::service
