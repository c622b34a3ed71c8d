// A bounded disk cache of a remote blob store, and the staging area for uploads to it
// (docs/adr/0037). Blobs are files of one folder and may be evicted at any time.
//
// The tree is that of blob_files.h, with a CACHEDIR.TAG in its root. An entry is trusted because
// it was fsynced and renamed after its digest was known. All bytes on the disk count towards the
// bound, including staged files and unlinked files that are still open. The least recently used
// files are evicted first, open ones too. So the bound is exceeded at most by the bytes being
// written or read.
//
// Faults of the folder never fail a client: a file that cannot be opened is a miss, a blob that
// cannot be cached is not cached. The folder may be deleted, completely or partly, at any time. On
// a full disk entries are evicted for the bytes being written, which are not cached then.
//
// A folder belongs to one process: two processes on one folder are safe, but each counts only its
// own bytes. Threads: any; blocking functions say so.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/sha256.h"
#include "blobs/blob_store.h"
#include "blobs/fs/blob_files.h"
#include "blobs/fs/cache_index.h"
#include "blobs/fs/fs_blob_store.h"
#include "blobs/fs/staged_file.h"

namespace koya {

class Metrics;

struct FsCacheOptions {
  std::uint64_t bound = 0;  // bytes; one blob may take a quarter of it
  // Called when a digest leaves the cache, for any reason; on any thread, without a lock. May be
  // empty. Holders of blobs do not need it: the cache notifies OpenFiles, and Blob::gone() serves
  // all others.
  std::function<void(const Digest&)> on_gone = nullptr;
  // Reports what to log: a damaged entry (kCorrupt), or bytes that could not be cached. Called on
  // any thread. May be empty.
  std::function<void(std::string_view what, const Error&)> on_trouble = nullptr;
};

struct FsCacheCounters {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;  // counted towards the bound
  std::uint64_t bound = 0;
  std::uint64_t hits = 0;  // of Open
  std::uint64_t misses = 0;
  std::uint64_t evictions = 0;
  std::uint64_t unkept = 0;          // commits that were not cached
  std::uint64_t scrubbed_bytes = 0;  // see CacheScrub
  std::uint64_t bad_entries = 0;     // found damaged, by any reader or scrub
};

// The SHA-256 of a file that is being written. Another thread reads the file back and hashes it
// while the writer receives more, and stays so close behind that the bytes are still in memory.
// Threads: Grow and Finish belong to the writer; HashMore to any.
class StagedHash {
 public:
  // `descriptor` reads the file, and outlives this.
  explicit StagedHash(int descriptor) : descriptor_(descriptor) {}

  // `bytes` have been appended to the file. Returns true if HashMore should be called. Hashes them
  // itself if the caller is `alone`, that is, no core is free for another thread, and hashes some
  // when the other thread is more than 64 MiB behind.
  bool Grow(std::span<const std::byte> bytes, bool alone);
  // Hashes until it has caught up with the writer, at most 32 MiB. Blocks. Returns 0, or the errno
  // of a read that failed; the next call reads the same bytes again.
  int HashMore();
  // Hashes the rest and returns the digest. Blocks. REQUIRES: called once. Fails: kInternal: the
  // file cannot be read.
  Result<Digest> Finish();

 private:
  const int descriptor_;
  std::atomic<std::uint64_t> size_ = 0;
  std::atomic<std::uint64_t> hashed_ = 0;
  std::atomic<bool> called_ = false;  // Grow has returned true, and HashMore has not ended since
  std::mutex mutex_;                  // guards hasher_, and changes of hashed_
  Sha256Hasher hasher_;
};

// A blob being written, with its reservation; the member order determines the order of destruction.
struct CacheStaging {
  std::unique_ptr<CacheReservation> reservation;
  std::shared_ptr<CacheEntry> entry;  // set once it is cached
  StagedFile file;
  UniqueFd reading;
  StagedHash hash{reading.get()};
};

class FsCache final : public BlobStore {
 public:
  // Creates missing folders, removes leftovers of earlier runs, counts the files and evicts down to
  // the bound. Blocks: less than a second for 25,000 files. `parts`: as for FsBlobStore. Fails:
  // kInvalid: the folder holds blobs but is not a cache; kStorageFull, kInternal (message names
  // `root`).
  static Result<std::unique_ptr<FsCache>> Open(std::string root, FsBlobParts parts,
                                               FsCacheOptions options);

  // Writers never fail because of the bound, and on a full disk only when nothing is left to evict.
  // Their Commit always succeeds; Open shows whether the bytes were cached.
  Result<std::unique_ptr<BlobWriter>> Create() override;
  WorkerPool& workers() override { return parts_.writers; }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override;
  // Fails: kNotFound; kUnavailable without descriptors.
  Task<std::shared_ptr<Blob>> Open(Digest digest) override;
  // The age is that of the file: its last use, to the hour.
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override;
  Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                      std::chrono::seconds older_than) override;
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override;

  // Drops the blob, intact or not. Blocks.
  void Drop(const Digest& digest);
  // Call regularly, for example every minute: notes the last use in the files, at most hourly each,
  // and checks whether the folder still matches the index. Blocks.
  void Tidy();
  // Rescans every file. Blocks.
  void Recount();

  FsCacheCounters counters() const;

 private:
  friend class FsCacheWriter;
  friend class CacheScrub;
  using Entry = CacheIndex::Entry;
  enum class Why { kBound, kDropped, kBad };

  FsCache(std::string root, FsBlobParts parts, FsCacheOptions options)
      : layout_(std::move(root)),
        parts_(parts),
        options_(std::move(options)),
        index_(options_.bound) {}
  Status Prepare();
  Status MakeFolders() const;
  Result<std::unique_ptr<BlobWriter>> CreateNow();
  Result<std::shared_ptr<CacheStaging>> StageNow();
  Result<std::shared_ptr<Blob>> OpenNow(const Digest& digest);
  std::shared_ptr<Blob> OpenEntry(const Digest& digest, Result<CommittedFile>& file);
  bool IsOlder(const Digest& digest, std::chrono::seconds than) const;
  bool RemoveNow(const Digest& digest, std::chrono::seconds older_than);
  void RecountFolder(std::size_t folder);
  void NoteUses();

  // For writers. All block.
  std::uint64_t most_each() const { return options_.bound / 4; }
  // Evicts down to the bound, as far as possible.
  void MakeRoom();
  // On a full disk: evicts `bytes` or slightly more. Returns whether anything could be evicted.
  bool GiveWay(std::uint64_t bytes);
  // Hashes more of the file, on another thread if a core is free for it.
  void HashElsewhere(const std::shared_ptr<CacheStaging>& staging);
  void Place(CacheStaging& staged, const BlobInfo& info);
  Status MoveIn(StagedFile& file, const Digest& digest);

  // Removes the entry's file, unless another file has replaced it. Returns whether it did. Blocks.
  bool Remove(const Entry& entry, Why why);
  void Report(std::string_view what, const Error& error) const;

  const BlobLayout layout_;
  const FsBlobParts parts_;
  const FsCacheOptions options_;
  CacheIndex index_;
  // One lock per fan-out folder makes changes to a file's name and its entry atomic. Taken before
  // the index's own lock.
  mutable std::array<std::mutex, BlobLayout::kFolders> locks_;
  // Threads that hash staged files now, shared with their work, which may outlive the cache. One
  // core is left to those that receive: with more threads than cores, all would wait longer.
  const std::shared_ptr<std::atomic<unsigned>> hashing_ =
      std::make_shared<std::atomic<unsigned>>(0);
  const unsigned most_hashing_ = std::max(std::thread::hardware_concurrency(), 1U) - 1;
  std::atomic<bool> suspect_ = false;  // a file was missing or unexpected
  std::atomic<FsBlob::Clock::time_point> recounted_;
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> misses_ = 0;
  std::atomic<std::uint64_t> evictions_ = 0;
  std::atomic<std::uint64_t> unkept_ = 0;
  std::atomic<std::uint64_t> scrubbed_ = 0;
  std::atomic<std::uint64_t> bad_ = 0;
};

// Writes one blob of an FsCache: counts, hashes and stages it.
class FsCacheWriter final : public BlobWriter {
 public:
  // `cache` outlives the writer.
  FsCacheWriter(FsCache& cache, std::shared_ptr<CacheStaging> staging)
      : cache_(cache), staging_(std::move(staging)) {}
  ~FsCacheWriter() override;

  Status Write(std::span<const std::byte> bytes) override;
  std::uint64_t size() const override { return size_; }
  int staged_file() const override { return staging_->reading.get(); }
  Result<BlobInfo> Finish() override;
  Task<void> Commit() override;
  // Commits like Commit(), but blocks.
  Status CommitNow();

 private:
  Status Append(std::span<const std::byte> bytes);

  FsCache& cache_;
  std::shared_ptr<CacheStaging> staging_;  // shared with the clean-up that outlives the writer
  std::uint64_t size_ = 0;
  std::optional<Error> failure_;
  std::optional<BlobInfo> info_;  // set by Finish
};

// Metrics of the disk cache: koya_cache_*, by the names of FsCacheCounters. `cache` must outlive
// all scrapes.
void AddCacheMetrics(const FsCache& cache, Metrics& metrics);

}  // namespace koya
