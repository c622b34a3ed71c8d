// A blob store in an S3-compatible object store, with a cache on this machine's disk.
//
// A commit uploads the staged file under a unique name, records it in the ledger, and caches the
// file (docs/adr/0036). The ledger maps a digest to its object; the store is only asked for bytes.
// Cached blobs are readable even while the store or the ledger is down.
//
// A committed blob is durable once the ledger has recorded it. A removed blob may be readable from
// the cache of this or another server until it is evicted there; nothing refers to it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fair_pool.h"
#include "blobs/blob_store.h"
#include "blobs/s3/object_fills.h"
#include "blobs/s3/object_transfer.h"

namespace koya {

// Which downloads are redirected to the store itself. Settings blobs.s3.redirect*.
struct RedirectOptions {
  enum class When { kOff, kMisses, kAll };
  When when = When::kOff;
  std::uint64_t min = std::uint64_t{16} << 20;  // bytes; this server sends smaller blobs itself
  std::chrono::seconds ttl = std::chrono::minutes(5);
};

struct S3BlobOptions {
  FillOptions fills{};
  RedirectOptions redirect{};
  std::size_t parallel_commits = 4;  // of one CommitAll
};

// Counters of this store since it was opened, for metrics.
struct S3BlobCounts {
  std::uint64_t cache_opens = 0;  // blobs that were in the cache
  std::uint64_t cache_bytes = 0;  // their sizes
  std::uint64_t store_bytes = 0;  // read from the store
  std::uint64_t fills = 0;        // transfers that began
  std::uint64_t fill_failures = 0;
  std::uint64_t lost = 0;  // objects that were missing or damaged
  std::uint64_t uploads = 0;
  std::uint64_t upload_bytes = 0;
  std::uint64_t redirects = 0;
  std::uint64_t redirect_bytes = 0;  // sizes of the blobs
};

// Call Stop() before its dependencies and the loops that read its blobs are stopped.
class S3BlobStore final : public BlobStore {
 public:
  S3BlobStore(const S3BlobParts& parts, S3BlobOptions options);
  ~S3BlobStore() override;

  // Staged by the cache.
  Result<std::unique_ptr<BlobWriter>> Create() override;
  WorkerPool& workers() override { return cache_.workers(); }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override;
  // Transfers nothing: a blob that is not cached starts to arrive when a reader waits for it.
  // Fails: kNotFound: the ledger has no object; kUnavailable: neither the ledger nor the store
  // could be asked; kStorageFull.
  Task<std::shared_ptr<Blob>> Open(Digest digest) override;
  Task<std::optional<StoredBlob>> CheckStored(BlobInfo blob, bool quick) override;
  Task<UnknownObjects> ListUnknown(std::string after) override;
  Awaitable<void> DropCopy(Digest digest) override { return cache_.Drop(digest); }
  // Marks the blob in the ledger; a sweep removes its object (storage_sweep.h). Never removes a
  // blob that is referred to, even if the caller asks for it.
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override;
  // Uses one transaction of the ledger.
  Task<std::vector<Digest>> RemoveAllIfOlder(std::vector<Digest> digests,
                                             std::chrono::seconds older_than) override;
  Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                      std::chrono::seconds older_than) override;
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override;

  // Ends running fills and cuts off their readers. Blocks. Uploads continue to their end.
  void Stop() { fills_.Stop(); }
  S3BlobCounts counts() const;
  // Number of blobs that are arriving, or could start to.
  std::size_t arriving() const { return fills_.known(); }

  // For the writers and blobs of this store:

  // Commits a finished file to the store. Fails: kUnavailable, kStorageFull: of the store.
  Task<void> Commit(BlobWriter& staged, BlobInfo info);
  Awaitable<std::optional<std::string>> RedirectFor(Digest digest);

 private:
  Task<bool> IsStored(BlobObject object);
  Task<StoredBlob::State> CompareSize(BlobObject object);
  Task<StoredBlob::State> CompareBytes(BlobObject object);
  Task<void> Upload(BlobObject object, int descriptor);
  bool Redirects(bool cached, std::uint64_t size) const;

  const S3BlobParts parts_;
  const S3BlobOptions options_;
  CacheDisk cache_;
  FairPool errands_;
  ObjectFills fills_;
  std::atomic<std::uint64_t> cache_opens_ = 0;
  std::atomic<std::uint64_t> cache_bytes_ = 0;
  std::atomic<std::uint64_t> uploads_ = 0;
  std::atomic<std::uint64_t> upload_bytes_ = 0;
  std::atomic<std::uint64_t> redirects_ = 0;
  std::atomic<std::uint64_t> redirect_bytes_ = 0;
};

}  // namespace koya
