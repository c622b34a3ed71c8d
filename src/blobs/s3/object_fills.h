// Fetches blobs from the store into the cache: one transfer per blob, regardless of the number of
// readers (single flight).
//
// Opening a blob looks up its object in the ledger and transfers nothing; the first reader that
// waits for bytes starts the transfer. All readers get bytes as they arrive, and the last byte only
// after the digest is verified (blobs/fill.h). Wrong bytes cut the readers off and are fetched once
// more; when they are wrong again, or the object is missing, the blob is lost: 500 and an error
// line, never "not found".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "base/condition.h"
#include "base/fair_pool.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"
#include "blobs/s3/object_transfer.h"
#include "obs/log.h"

namespace koya {

// The disk cache in front of a remote store: it stages uploads and fills, and caches blobs that
// were recently read or written. Nothing in it is essential: a blob that it lost or could not cache
// costs a transfer. Threads: any.
class CacheDisk {
 public:
  // `files`: a store of files on this machine. The arguments outlive this.
  CacheDisk(BlobStore& files, Logger& log) : files_(files), log_(log) {}

  WorkerPool& workers() { return files_.workers(); }
  // Creates a staged file. Blocks. Fails: kStorageFull, kInternal.
  Result<std::unique_ptr<BlobWriter>> Create() { return files_.Create(); }
  // Returns the blob if it is cached and intact; else null. A damaged blob is dropped.
  Awaitable<std::shared_ptr<Blob>> OpenCached(Digest digest);
  // Caches a finished file. A failure is only logged: the bytes are not cached then.
  Awaitable<void> StoreBlob(BlobWriter& writer, BlobInfo info);
  Awaitable<void> Drop(Digest digest);

 private:
  BlobStore& files_;
  Logger& log_;
};

// Threads: any. Outlives the blobs that it opens, which do not need it after Stop().
class ObjectFills {
 public:
  // Coroutines run on `errands`. The arguments outlive this.
  ObjectFills(const S3BlobParts& parts, CacheDisk& cache, FairPool& errands, FillOptions options);
  // Stops, and waits.
  ~ObjectFills();
  ObjectFills(const ObjectFills&) = delete;
  ObjectFills& operator=(const ObjectFills&) = delete;

  // Number of finished fills. The blob of a finished fill is already in the cache, if it was
  // cached.
  std::uint64_t ended() const;
  // Opens a blob that the cache lacked when ended() returned `ended`. Fails: kNotFound: no object
  // holds it; kUnavailable; kStorageFull: no room even to stage it.
  Task<std::shared_ptr<Blob>> OpenBlob(Digest digest, std::uint64_t ended);

  // Ends running transfers and waits for their end. Blocks. No other transfer starts afterwards.
  void Stop();

  const FillCounts& counts() const { return counts_; }
  std::size_t known() const;  // blobs that are arriving, or could start to

 private:
  struct Board;
  class Seat;
  using FillPtr = std::shared_ptr<Fill>;
  using TransferPtr = std::shared_ptr<ObjectTransfer>;

  FillPtr Join(const Digest& digest, std::uint64_t ended);
  void EndFill(const Digest& digest, const FillPtr& fill, Status how,
               const FillPtr& next = nullptr);
  // Before a reader waits for bytes:
  Awaitable<void> Announce(Digest digest, FillPtr fill, std::uint64_t ended);
  Task<bool> Prepare(Digest digest, FillPtr fill, std::uint64_t ended);
  Task<void> Offer(TransferPtr transfer, FillPtr fill);
  // After that:
  void Begin(TransferPtr transfer, FillPtr fill);
  Awaitable<void> Run(TransferPtr transfer, FillPtr fill);
  Task<void> TakePlace();
  void LeavePlace();
  Task<void> FetchObject(TransferPtr transfer, FillPtr fill);
  Task<void> Reject(TransferPtr transfer, Error error);
  Awaitable<void> FetchAgain(Digest digest, FillPtr fill);
  bool stopping() const { return stop_.stop_requested(); }

  const S3BlobParts parts_;
  CacheDisk& cache_;
  FairPool& errands_;
  const FillOptions options_;
  FillCounts counts_;
  const std::shared_ptr<Board> board_;  // shared with the blobs, which may outlive this
  std::stop_source stop_;
  Condition changed_;  // its mutex guards running_
  std::size_t running_ = 0;
};

}  // namespace koya
