// Removes from the store what the ledger has let go of: blobs that left long enough ago, and
// uploads that nobody finished. Objects without a row are touched by no job.
//
// Harmless when two do it at once, or one goes on a week later: names are never used twice, and
// removing what is gone succeeds.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>

#include "base/task.h"
#include "blobs/s3/object_client.h"
#include "catalog/blob_ledger.h"
#include "obs/log.h"

namespace koya {

struct SweepTimes {
  std::chrono::seconds grace{};  // blobs.gc_grace: an upload that has not ended by then has died
  std::chrono::seconds trash_for{};  // blobs.trash_for: between leaving and being removed
};

struct SweepReport {
  std::uint64_t given_up = 0;  // uploads that were begun and never finished
  std::uint64_t removed = 0;   // objects
  std::uint64_t bytes = 0;     // of those, as the ledger has them
  std::uint64_t failed = 0;    // objects that are tried again with the next sweep
};

// The same over all sweeps, for metrics. Counted while one runs.
struct SweepTotals {
  std::atomic<std::uint64_t> given_up = 0;
  std::atomic<std::uint64_t> removed = 0;
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint64_t> failed = 0;
};

class StorageSweep {
 public:
  // All of it outlives this.
  StorageSweep(ObjectClient& objects, BlobLedger& ledger, Logger& log)
      : objects_(objects), ledger_(ledger), log_(log) {}

  // One sweep over all that is due, until `stop` is requested. An object that cannot be removed
  // stays for the next sweep; when that happens to several in a row, so does everything else. Fails
  // as the ledger; what was removed until then stays removed.
  Task<SweepReport> Run(SweepTimes times, std::stop_token stop);
  // Any thread.
  const SweepTotals& totals() const { return totals_; }

 private:
  Task<void> Remove(BlobObject object);
  void Note(const BlobObject& object, const Status& removed, SweepReport& report);

  ObjectClient& objects_;
  BlobLedger& ledger_;
  Logger& log_;
  SweepTotals totals_;
};

}  // namespace koya
