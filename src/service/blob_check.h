// Are the bytes of a blob still what they were? And what a check of something that is kept answers.
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
  bool quick = false;   // sizes only: nothing is read
  bool repair = false;  // fetch what is damaged or missing from upstream again
};

struct CheckReport {
  enum class State {
    kOk,
    kNotHeld,  // there is nothing to check
    kDamaged,  // other bytes than were stored
    kMissing,  // said to be here, and not there
  };
  State state = State::kOk;
  bool repaired = false;  // the right bytes are here again
  std::string problem;    // what is wrong and how it is mended; "" when the state says it all
  // Of whole bytes: what today's rules would refuse. It was published or pulled under older ones,
  // and stays byte for byte.
  std::vector<std::string> warnings;
};

// What is known of a blob's bytes.
struct BlobCheck {
  CheckReport::State state = CheckReport::State::kOk;  // kOk, kDamaged or kMissing
  // Of a store elsewhere: what this server's copy was worth. kWrong ones are dropped.
  enum class Copy { kNone, kRight, kWrong };
  Copy copy = Copy::kNone;
  bool repaired = false;  // the copy's bytes are stored again

  // For people: what was where; "" when `state` says it all.
  std::string Words() const;
};

struct BlobChecker {
  BlobStore& blobs;
  WorkerPool& workers;  // for hashing; reading is done on the store's own threads

  // Reads the bytes where they are stored, and this server's copy of them. With `repair` a right
  // copy takes the place of what the store has lost. `blob.size` 0: it is not known. Fails: as the
  // store when it cannot be asked.
  Task<BlobCheck> Check(BlobInfo blob, CheckRequest request);

 private:
  Task<CheckReport::State> CheckHere(BlobInfo blob, CheckRequest request);
  Task<void> StoreAgain(std::shared_ptr<Blob> copy);
};

}  // namespace koya::service
