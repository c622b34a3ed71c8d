// Verifies that the bytes of a blob are unchanged; also the result types of all checks of stored
// artifacts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {
class Blob;
struct BlobInfo;
class BlobStore;
class WorkerPool;
}  // namespace koya

namespace koya::service {

struct CheckRequest {
  bool quick = false;   // compare sizes only, read nothing
  bool repair = false;  // fetch damaged or missing artifacts from upstream again
};

struct CheckReport {
  enum class State {
    kOk,
    kNotHeld,  // not stored: nothing to check
    kDamaged,  // bytes differ from those that were stored
    kMissing,  // recorded, but not in the store
  };
  State state = State::kOk;
  bool repaired = false;  // the right bytes are stored again
  std::string problem;    // describes the problem and its fix; "" when `state` is enough
  // For intact bytes: reasons for which today's rules would reject them. They were published or
  // mirrored under older rules, and stay byte for byte.
  std::vector<std::string> warnings;
};

// Result of verifying a blob.
struct BlobCheck {
  CheckReport::State state = CheckReport::State::kOk;  // kOk, kDamaged or kMissing
  // For a remote store: the state of this server's cached copy. A kWrong copy is dropped.
  enum class Copy { kNone, kRight, kWrong };
  Copy copy = Copy::kNone;
  bool repaired = false;  // the store's bytes were restored from the copy

  // Describes the problem for people; "" when `state` is enough.
  std::string Words() const;
};

struct BlobChecker {
  BlobStore& blobs;
  WorkerPool& workers;  // hash here; the store reads on its own threads

  // Verifies the stored bytes and this server's cached copy of them. With `repair` an intact copy
  // replaces bytes that the store has lost. `blob.size` 0: unknown. Fails: as the store when it is
  // unavailable.
  Task<BlobCheck> Check(BlobInfo blob, CheckRequest request);

 private:
  Task<CheckReport::State> CheckHere(BlobInfo blob, CheckRequest request);
  Task<void> StoreAgain(std::shared_ptr<Blob> copy);
};

}  // namespace koya::service
