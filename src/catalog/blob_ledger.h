// Records which objects of a remote store hold which blobs. The store itself serves only bytes:
// which objects exist, and which may be deleted, is decided here, each step by guarded statements
// on locked rows.
//
//   arriving → stored ⇄ lost → leaving → (no row)
//       │         └────────────↑
//       └──────────────────────┘
//
// An object's name is never reused, so a process that was stopped for a week and goes on with an
// upload or a removal touches no bytes in use. Ages are in the database's time.
//
// Transactions that record references to a blob renew its stored object's age, and fail with
// kUnavailable when there is none: no reference is recorded to bytes that a collector took
// meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {

struct BlobObject;
class Digest;

class BlobLedger {
 public:
  virtual ~BlobLedger() = default;

  // Call before an upload. When an object with the same digest is stored, restarts its age and
  // returns it: no upload is needed. Otherwise records `object` as arriving, and returns nullopt.
  virtual Task<std::optional<BlobObject>> Arrive(BlobObject object) = 0;
  // Call after an upload: arriving → stored. Returns the object that holds the digest from now on.
  // When a concurrent upload was faster, that is its object: its age restarts, and `name` is
  // leaving. Lost objects of the digest are leaving. Fails: kNotFound: the upload was given up
  // meanwhile (GiveUpArrivals), so nothing may be recorded of it, and the object will never be
  // requested.
  virtual Task<BlobObject> CompleteUpload(std::string name) = 0;
  // Finds the object to read a blob from: the stored one, else a lost one, which may have come back
  // and is returned as `lost`. Fails: kNotFound.
  virtual Task<BlobObject> FindStored(Digest digest) = 0;
  // Lists stored and lost objects by digest, after `after` (nullopt: from the first), at most
  // 1,000.
  virtual Task<std::vector<BlobObject>> ListStored(std::optional<Digest> after,
                                                   std::size_t limit) = 0;
  // stored → lost: the object is missing from the store, or changed. The next commit of these bytes
  // uploads them again. No-op when it is not stored.
  virtual Task<void> Lose(std::string name) = 0;
  // lost → stored: all its bytes were just read from the store, and verified. It is leaving when
  // another object holds the digest by now. No-op when it is not lost.
  virtual Task<void> Regain(std::string name) = 0;

  // stored or lost → leaving: those of `digests` (at most 1,000) that are older than `grace` and
  // have no references (BlobReferences::FindUnreferenced). Check and mark are one step
  // (docs/adr/0034); objects that are being renewed stay. Returns the digests that are leaving, in
  // order.
  virtual Task<std::vector<Digest>> MarkLeaving(std::vector<Digest> digests,
                                                std::chrono::seconds grace) = 0;
  // Those of `digests` (at most 1,000) of which a stored or lost object is older than `grace`, in
  // order: what MarkLeaving would take if nothing referred to them.
  virtual Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                              std::chrono::seconds grace) = 0;
  // arriving → leaving: unfinished uploads that are older than `grace`. Returns how many.
  virtual Task<std::uint64_t> GiveUpArrivals(std::chrono::seconds grace) = 0;
  // Objects that have been leaving for longer than `trash_for`, oldest first, at most 1,000.
  virtual Task<std::vector<BlobObject>> ListLeaving(std::chrono::seconds trash_for,
                                                    std::size_t limit) = 0;
  // Those of `names` (at most 1,000) that have no row, in no particular order.
  virtual Task<std::vector<std::string>> FindUnknown(std::vector<std::string> names) = 0;
  // Call after deleting the object from the store: deletes its row, if it is leaving.
  virtual Task<void> DeleteRow(std::string name) = 0;
};

}  // namespace koya
