// One blob's way from the store into a staged file, and the question whether it is the right one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/condition.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"
#include "blobs/s3/object_client.h"
#include "catalog/blob_ledger.h"
#include "domain/blob_object.h"
#include "obs/log.h"

namespace koya {

// What a blob store of objects works with. All of it outlives the store, its blobs and writers.
struct S3BlobParts {
  ObjectClient& objects;
  BlobLedger& ledger;
  BlobStore& cache;  // of files on this machine: where bytes are staged, and kept for a while
  Logger& log;
};

struct FillOptions {
  // Between looking for an object that should be there: stores may be late to show one.
  std::vector<std::chrono::milliseconds> missing_waits{std::chrono::milliseconds(200),
                                                       std::chrono::milliseconds(600),
                                                       std::chrono::milliseconds(1200)};
  // Transfers at once. Whoever comes then waits, `patience` at most, and is told 503.
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
  bool listed = false;              // the ledger was not to be had, and is told nothing
};

// Where a blob lies: as the ledger says or, while it cannot, as the store lists. Fails: kNotFound:
// the ledger knows of none; kUnavailable, kTimeout: nobody can say.
Task<LocatedBlob> LocateBlob(const S3BlobParts& parts, Digest digest);

// What transfers share. Outlives them.
struct TransferContext {
  const S3BlobParts& parts;
  const FillOptions& options;
  FillCounts& counts;
  Condition& changed;    // notified when `stop` is requested
  std::stop_token stop;  // all of them
};

// What a store did, as those who wait for an answer are told: one that is too slow is one that
// cannot be reached.
Error FailureOfStore(Error error);

// "The server is stopping", for whoever asks for bytes then.
Error StoppedTransfer();

// One coroutine at a time, and a thread of the client while that waits for it.
class ObjectTransfer {
 public:
  // `attempt`: how often it has arrived wrong before; another object is tried then, if there is
  // one.
  ObjectTransfer(TransferContext context, LocatedBlob located, std::size_t attempt);

  const BlobObject& object() const { return object_; }
  void StageIn(std::shared_ptr<BlobWriter> writer) { writer_ = std::move(writer); }
  BlobWriter& writer() { return *writer_; }

  // Brings all of it, over breaks of the connection as long as it gets on, and tells `fill` of what
  // arrives. Succeeds when it is the right one; the fill has not been told of that. Fails:
  // kUnavailable: also when it is wrong (see wrong()); kCorrupt: it is lost; kStorageFull.
  // REQUIRES: StageIn().
  Task<BlobInfo> Run(std::shared_ptr<Fill> fill);
  // What arrived instead; "" as long as nothing was wrong.
  const std::string& wrong() const { return wrong_; }
  // How many wrong arrivals it takes to give it up: one, when it was lost before.
  std::size_t attempts() const;
  // Says so to the log and the ledger; returns the failure for whoever reads it.
  Task<void> DeclareLost(std::string why);
  // Says so of an object that was lost, and is the right one. Nothing is said when not all of it
  // was read.
  Awaitable<void> DeclareFound();

 private:
  Status Take(std::span<const std::byte> bytes, Fill& fill);
  Task<void> Receive(std::shared_ptr<Fill> fill);
  Task<void> LookAgain(std::size_t misses);
  bool stopping() const { return context_.stop.stop_requested(); }

  const TransferContext context_;
  const LocatedBlob located_;
  BlobObject object_;
  std::shared_ptr<BlobWriter> writer_;
  std::uint64_t told_ = 0;  // how many bytes the readers know of
  std::chrono::steady_clock::time_point told_at_;
  bool too_long_ = false;
  bool of_two_ = false;  // of object_, only the end was read
  std::string wrong_;
};

}  // namespace koya
