// Checks stored artifacts: whether the bytes of a blob are unchanged, and whether an archive meets
// today's rules; also the result types of all such checks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "base/task.h"

namespace koya {
class Blob;
struct BlobInfo;
class BlobStore;
class Digest;
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

// Checks stored archives against today's rules: an archive may have been accepted under older ones.
// It stays, byte for byte; the result is a warning for administrators.
struct ArchiveReview {
  BlobStore& blobs;
  WorkerPool& workers;
  ArchiveLimits module;
  ArchiveLimits zip;

  // Returns sentences; empty for an archive that would be accepted today. Skips blobs that are not
  // files on this machine. Fails: as the store.
  Task<std::vector<std::string>> Module(Digest digest);
  // Reviews a mirrored module, which need not be fit for publishing here.
  Task<std::vector<std::string>> ForeignModule(Digest digest);
  // `type` is the provider's ("demo").
  Task<std::vector<std::string>> ForeignPackage(Digest digest, std::string type);
  // Reviews a package that was published here, under stricter rules. `h1`: its recorded h1 hashes.
  Task<std::vector<std::string>> OwnPackage(Digest digest, std::string type,
                                            std::vector<std::string> h1);
};

}  // namespace koya::service
