// A transfer of one blob from the store into a staged file, with its verification.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/condition.h"
#include "base/result.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"
#include "blobs/s3/object_client.h"
#include "catalog/blob_ledger.h"
#include "domain/digest.h"
#include "domain/storage_record.h"
#include "obs/log.h"

namespace koya {

// Names of a blob's objects, below the store's prefix: "sha256/ab/<62 hex digits>/<random>". An
// object can be verified from its name with sha256sum. Names are never reused, so a late upload or
// removal cannot affect an object that others read.

// Common prefix of the names of all objects of this digest: "sha256/ab/<62 hex digits>/".
std::string ObjectPrefixOf(const Digest& digest);

// A new name on each call, from 128 random bits. Fails: kInternal: the system has no random bits.
Result<std::string> FreshObjectName(const Digest& digest);

// Dependencies of S3BlobStore. All of them outlive the store, its blobs and its writers.
struct S3BlobParts {
  ObjectClient& objects;
  BlobLedger& ledger;
  BlobStore& cache;  // of files on this machine: stages and caches bytes
  Logger& log;
};

struct FillOptions {
  // Waits between lookups of an object that should exist: stores may show it late.
  std::vector<std::chrono::milliseconds> missing_waits{std::chrono::milliseconds(200),
                                                       std::chrono::milliseconds(600),
                                                       std::chrono::milliseconds(1200)};
  // Concurrency limit of transfers. Further ones wait for `patience` at most and then fail with
  // 503.
  std::size_t most = 16;
  std::chrono::seconds patience{8};
};

struct FillCounts {
  std::atomic<std::uint64_t> bytes = 0;  // that arrived
  std::atomic<std::uint64_t> fills = 0;
  std::atomic<std::uint64_t> failures = 0;
  std::atomic<std::uint64_t> lost = 0;
};

// Objects that hold a blob: any of them will do.
struct LocatedBlob {
  std::vector<BlobObject> objects;  // one, unless they were listed
  bool listed = false;              // the ledger was unavailable, and is not updated
};

// Locates a blob: in the ledger or, while that is unavailable, in the store's listing. Fails:
// kNotFound: the ledger has no object; kUnavailable, kTimeout: neither could be asked.
Task<LocatedBlob> LocateBlob(const S3BlobParts& parts, Digest digest);

// Shared state of transfers. Outlives them.
struct TransferContext {
  const S3BlobParts& parts;
  const FillOptions& options;
  FillCounts& counts;
  Condition& changed;    // notified when `stop` is requested
  std::stop_token stop;  // stops all transfers
};

// Converts a store failure to the one that clients get: kTimeout becomes kUnavailable.
Error FailureOfStore(Error error);

// "The server is stopping", for readers that wait for bytes then.
Error StoppedTransfer();

// Threads: one coroutine at a time, plus a thread of the client while that coroutine waits.
class ObjectTransfer {
 public:
  // `attempt`: how often wrong bytes have arrived before; selects another object, if there is one.
  ObjectTransfer(TransferContext context, LocatedBlob located, std::size_t attempt);

  const BlobObject& object() const { return object_; }
  void StageIn(std::shared_ptr<BlobWriter> writer) { writer_ = std::move(writer); }
  BlobWriter& writer() { return *writer_; }

  // Fetches the whole blob, resumes broken connections as long as it makes progress, and reports
  // arriving bytes to `fill`. Succeeds when the blob is verified, without reporting that to the
  // fill. Fails: kUnavailable: also when the bytes are wrong (see wrong()); kCorrupt: the blob is
  // lost; kStorageFull. REQUIRES: StageIn().
  Task<BlobInfo> Run(std::shared_ptr<Fill> fill);
  // Describes the wrong bytes that arrived; "" when none did.
  const std::string& wrong() const { return wrong_; }
  // Number of wrong arrivals after which the blob is given up: one when it was lost before.
  std::size_t attempts() const;
  // Logs the blob as lost and marks it in the ledger; returns the failure for its readers.
  Task<void> DeclareLost(std::string why);
  // Logs that a lost object is intact again and marks it in the ledger. Does nothing when the
  // object was only partly read.
  Awaitable<void> DeclareFound();

 private:
  Status AcceptBytes(std::span<const std::byte> bytes, Fill& fill);
  Task<void> Receive(std::shared_ptr<Fill> fill);
  Task<void> LookAgain(std::size_t misses);
  bool stopping() const { return context_.stop.stop_requested(); }

  const TransferContext context_;
  const LocatedBlob located_;
  BlobObject object_;
  std::shared_ptr<BlobWriter> writer_;
  std::uint64_t told_ = 0;  // bytes reported to the readers
  std::chrono::steady_clock::time_point told_at_;
  bool too_long_ = false;
  bool of_two_ = false;  // only the end of object_ was read
  std::string wrong_;
};

}  // namespace koya
