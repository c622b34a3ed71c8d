// Removes objects from the store that the ledger no longer needs: blobs that were removed long
// enough ago, and uploads that were never finished. No job touches objects without a row.
//
// Two concurrent sweeps, or one that resumes a week later, are harmless: names are never reused,
// and removing a missing object succeeds.
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
  std::chrono::seconds grace{};      // blobs.gc_grace: an upload not finished by then is dead
  std::chrono::seconds trash_for{};  // blobs.trash_for: from leaving the ledger to removal
};

struct SweepReport {
  std::uint64_t given_up = 0;  // uploads that were started and never finished
  std::uint64_t removed = 0;   // objects
  std::uint64_t bytes = 0;     // of those objects, by the ledger
  std::uint64_t failed = 0;    // objects that the next sweep retries
};

// Totals of all sweeps, for metrics. Updated while a sweep runs.
struct SweepTotals {
  std::atomic<std::uint64_t> given_up = 0;
  std::atomic<std::uint64_t> removed = 0;
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint64_t> failed = 0;
};

class StorageSweep {
 public:
  // The arguments outlive this.
  StorageSweep(ObjectClient& objects, BlobLedger& ledger, Logger& log)
      : objects_(objects), ledger_(ledger), log_(log) {}

  // Sweeps all due objects once, until `stop` is requested. An object that cannot be removed stays
  // for the next sweep; after several such failures in a row the sweep leaves all others to the
  // next one. Fails: as the ledger; objects removed until then stay removed.
  Task<SweepReport> Run(SweepTimes times, std::stop_token stop);
  // Any thread.
  const SweepTotals& totals() const { return totals_; }

 private:
  Task<void> Remove(BlobObject object);
  void RecordRemoval(const BlobObject& object, const Status& removed, SweepReport& report);

  ObjectClient& objects_;
  BlobLedger& ledger_;
  Logger& log_;
  SweepTotals totals_;
};

}  // namespace koya
