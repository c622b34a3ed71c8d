// Which objects of a remote store hold which blobs. The store itself is asked for bytes only: what
// it has, and what may go, is decided here, each step by guarded statements on locked rows.
//
//   arriving → stored ⇄ lost → leaving → (no row)
//       │         └────────────↑
//       └──────────────────────┘
//
// An object's name is never used twice, so a process that was stopped for a week and goes on with
// an upload or a removal touches nothing that anybody reads. Ages are the database's time.
//
// The transactions that record what refers to a blob renew its stored object's age, and fail with
// kUnavailable when there is none: nothing is recorded of bytes that a collector took meanwhile.
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

  // Before an upload. When an object with the same digest is stored, its age begins anew and it is
  // returned: nothing needs to be sent. Else `object` is noted as arriving, and nothing returned.
  virtual Task<std::optional<BlobObject>> Arrive(BlobObject object) = 0;
  // After an upload: arriving → stored; returned is the object that holds the digest from now on.
  // That is another one when somebody was quicker: then its age begins anew, and `name` is leaving.
  // Objects of the digest that were lost are leaving. Fails: kNotFound: it was given up on
  // meanwhile (GiveUpArrivals), so nothing may be recorded of it, and nobody will ever ask for the
  // object.
  virtual Task<BlobObject> Settle(std::string name) = 0;
  // The object to read a blob from: the stored one, or else a lost one, which may have come back
  // and is returned as `lost`. Fails: kNotFound.
  virtual Task<BlobObject> FindStored(Digest digest) = 0;
  // Stored and lost objects by digest, those after `after` (nothing: from the first), 1,000 at
  // most.
  virtual Task<std::vector<BlobObject>> ListStored(std::optional<Digest> after,
                                                   std::size_t limit) = 0;
  // stored → lost: the store has it no longer, or not as it was. The next commit of these bytes
  // uploads them anew. Nothing happens when it is not stored.
  virtual Task<void> Lose(std::string name) = 0;
  // lost → stored: its bytes were just read from the store, all of them, and are right. It is
  // leaving when another object holds the digest by now. Nothing happens when it is not lost.
  virtual Task<void> Regain(std::string name) = 0;

  // stored or lost → leaving, those of `digests` (1,000 at most) that are older than `grace` and
  // that nothing refers to (BlobReferences::FindUnreferenced). Looking and marking are one step
  // (docs/adr/0034); what somebody is just renewing stays. Returns which, in order.
  virtual Task<std::vector<Digest>> Leave(std::vector<Digest> digests,
                                          std::chrono::seconds grace) = 0;
  // arriving → leaving, those older than `grace`: uploads that nobody finished. Returns how many.
  virtual Task<std::uint64_t> GiveUpArrivals(std::chrono::seconds grace) = 0;
  // Those that have been leaving for longer than `trash_for`, the oldest first, 1,000 at most.
  virtual Task<std::vector<BlobObject>> ListLeaving(std::chrono::seconds trash_for,
                                                    std::size_t limit) = 0;
  // Those of `names` (1,000 at most) that have no row, in no particular order.
  virtual Task<std::vector<std::string>> FindUnknown(std::vector<std::string> names) = 0;
  // The object is gone from the store: so is its row, if it is leaving.
  virtual Task<void> Forget(std::string name) = 0;
};

}  // namespace koya
