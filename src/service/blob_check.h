// Are the bytes of a blob still what they were? And what a check of something that is kept answers.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"

namespace koya {
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

struct BlobChecker {
  BlobStore& blobs;
  WorkerPool& workers;  // for hashing; reading is done on the store's own threads

  // kOk, kDamaged or kMissing. `blob.size` 0: it is not known. Fails: as the store when it cannot
  // be asked.
  Task<CheckReport::State> Check(BlobInfo blob, CheckRequest request);
};

}  // namespace koya::service
