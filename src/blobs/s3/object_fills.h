// Blobs on their way from the store into the cache: one transfer each, however many read it.
//
// Opening a blob asks the ledger which object holds it and moves no byte; the first who waits for
// bytes sets the transfer going. All readers get them as they come, and the last one only when the
// digest is right (blobs/fill.h). What arrives otherwise cuts them off, and is fetched once more;
// wrong again, or not there at all, it is lost: 500 and an error line, never "not found".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "base/condition.h"
#include "base/fair_pool.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"
#include "blobs/s3/cache_disk.h"
#include "blobs/s3/object_transfer.h"

namespace koya {

// Threads: any. Outlives the blobs that it opens, which need nothing of it once Stop() was called.
class ObjectFills {
 public:
  // Coroutines run on `errands`. All of it outlives this.
  ObjectFills(const S3BlobParts& parts, CacheDisk& cache, FairPool& errands, FillOptions options);
  // Stops, and waits.
  ~ObjectFills();
  ObjectFills(const ObjectFills&) = delete;
  ObjectFills& operator=(const ObjectFills&) = delete;

  // How many have ended. What one of them has kept is in the cache by then.
  std::uint64_t ended() const;
  // A blob that the cache lacked when so many had `ended`. Fails: kNotFound: no object holds it;
  // kUnavailable; kStorageFull: there is no room even to stage it.
  Task<std::shared_ptr<Blob>> Open(Digest digest, std::uint64_t ended);

  // Ends the transfers under way, and waits until they have ended. Blocks. No other one begins.
  void Stop();

  const FillCounts& counts() const { return counts_; }
  std::size_t known() const;  // blobs that are arriving, or could

 private:
  struct Board;
  class Seat;
  using FillPtr = std::shared_ptr<Fill>;
  using TransferPtr = std::shared_ptr<ObjectTransfer>;

  FillPtr Join(const Digest& digest, std::uint64_t ended);
  void Settle(const Digest& digest, const FillPtr& fill, Status how, const FillPtr& next = nullptr);
  // Before bytes are asked for.
  Awaitable<void> Announce(Digest digest, FillPtr fill, std::uint64_t ended);
  Task<bool> Prepare(Digest digest, FillPtr fill, std::uint64_t ended);
  Task<void> Offer(TransferPtr transfer, FillPtr fill);
  // Afterwards.
  void Begin(TransferPtr transfer, FillPtr fill);
  Awaitable<void> Run(TransferPtr transfer, FillPtr fill);
  Task<void> TakePlace();
  void LeavePlace();
  Task<void> Bring(TransferPtr transfer, FillPtr fill);
  Task<void> Reject(TransferPtr transfer, Error error);
  Awaitable<void> FetchAgain(Digest digest, FillPtr fill);
  bool stopping() const { return stop_.stop_requested(); }

  const S3BlobParts parts_;
  CacheDisk& cache_;
  FairPool& errands_;
  const FillOptions options_;
  FillCounts counts_;
  const std::shared_ptr<Board> board_;  // shared with the blobs, which may be the last to leave
  std::stop_source stop_;
  Condition changed_;  // its mutex guards running_
  std::size_t running_ = 0;
};

}  // namespace koya
