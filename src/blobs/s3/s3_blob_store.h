// Blobs as objects of a store that speaks S3, with this machine's disk in front.
//
// A commit uploads the staged file under a name of its own, has the ledger say so, and keeps the
// file in the cache (docs/adr/0036). The ledger knows which object holds a digest; the store is
// asked for bytes only. What the cache has is read from it, whoever else is down.
//
// What is committed is durable once the ledger said so. What was removed may be read from the cache
// of this or another server until it is pushed out there: nothing refers to it.
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
#include "blobs/s3/cache_disk.h"
#include "blobs/s3/object_fills.h"
#include "blobs/s3/object_transfer.h"

namespace koya {

// Who is sent to the store itself. Settings blobs.s3.redirect*.
struct RedirectOptions {
  enum class When { kOff, kMisses, kAll };
  When when = When::kOff;
  std::uint64_t min = std::uint64_t{16} << 20;  // bytes; smaller ones are sent from here
  std::chrono::seconds ttl = std::chrono::minutes(5);
};

struct S3BlobOptions {
  FillOptions fills{};
  RedirectOptions redirect{};
  std::size_t parallel_commits = 4;  // of one CommitAll
};

// Of this store since it was opened, for metrics.
struct S3BlobCounts {
  std::uint64_t cache_opens = 0;  // blobs that were in the cache
  std::uint64_t cache_bytes = 0;  // their sizes
  std::uint64_t store_bytes = 0;  // read from the store
  std::uint64_t fills = 0;        // transfers that began
  std::uint64_t fill_failures = 0;
  std::uint64_t lost = 0;  // objects that were not there, or not as they should be
  std::uint64_t uploads = 0;
  std::uint64_t upload_bytes = 0;
  std::uint64_t redirects = 0;
  std::uint64_t redirect_bytes = 0;  // sizes of the blobs
};

// Stop() it before what it works with, and before the loops that read its blobs.
class S3BlobStore final : public BlobStore {
 public:
  S3BlobStore(const S3BlobParts& parts, S3BlobOptions options);
  ~S3BlobStore() override;

  // The cache's own staging.
  Result<std::unique_ptr<BlobWriter>> Create() override;
  WorkerPool& workers() override { return cache_.workers(); }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override;
  // Moves no bytes: what is not in the cache begins to arrive when somebody waits for it. Fails:
  // kNotFound: the ledger knows of none; kUnavailable: nobody can say; kStorageFull.
  Task<std::shared_ptr<Blob>> Open(Digest digest) override;
  Task<std::optional<StoredBlob>> CheckStored(BlobInfo blob, bool quick) override;
  Task<UnknownObjects> ListUnknown(std::string after) override;
  Awaitable<void> DropCopy(Digest digest) override { return cache_.Drop(digest); }
  // Marks it in the ledger; its object goes with a sweep (storage_sweep.h). Never what is referred
  // to, whatever the caller thinks.
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override;
  // By one transaction of the ledger.
  Task<std::vector<Digest>> RemoveAllIfOlder(std::vector<Digest> digests,
                                             std::chrono::seconds older_than) override;
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override;

  // Ends what is arriving: its readers are cut off. Blocks. Uploads go on to their end.
  void Stop() { fills_.Stop(); }
  S3BlobCounts counts() const;
  // How many blobs are arriving, or could.
  std::size_t arriving() const { return fills_.known(); }

  // For the writers and blobs of this store:

  // Makes a finished file part of the store. Fails: kUnavailable, kStorageFull: the store's.
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
