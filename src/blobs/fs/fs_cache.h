// Blobs as files of one folder that may go at any time: a bounded cache on this machine's disk of
// what a store elsewhere holds, and where bytes are staged on their way there (docs/adr/0037).
//
// The tree is that of blob_layout.h, with a CACHEDIR.TAG in its root. An entry is trusted because
// it was fsynced and renamed after its digest was known. All bytes on the disk count towards the
// bound, also those that are being written and those without a name that somebody has open; the
// least recently used go first, what is open as well. So the bound is exceeded by what is being
// written or read at most.
//
// Nothing that befalls the folder fails a client: what cannot be opened is not there, what cannot
// be kept is not kept. The folder may be deleted, as a whole or in parts, at any time; on a full
// disk entries give way to what is being written, which is not kept then.
//
// A folder belongs to one process: two on one are sound, but each counts only its own.
// Threads: any; what blocks says so.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/blob_store.h"
#include "blobs/fs/blob_files.h"
#include "blobs/fs/blob_layout.h"
#include "blobs/fs/cache_index.h"
#include "blobs/fs/fs_blob_store.h"
#include "blobs/fs/staged_file.h"

namespace koya {

struct FsCacheOptions {
  std::uint64_t bound = 0;  // bytes; one blob may take a quarter of it
  // A digest is no longer here, whatever the reason. On any thread, without a lock. May be empty.
  // Whoever only keeps blobs need not listen: OpenFiles is told by the cache, and Blob::gone()
  // says it to all others.
  std::function<void(const Digest&)> on_gone = nullptr;
  // What the log should say: a damaged entry (kCorrupt), bytes that could not be kept. On any
  // thread. May be empty.
  std::function<void(std::string_view what, const Error&)> on_trouble = nullptr;
};

struct FsCacheCounters {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;  // all that counts towards the bound
  std::uint64_t bound = 0;
  std::uint64_t hits = 0;  // of Open
  std::uint64_t misses = 0;
  std::uint64_t evictions = 0;
  std::uint64_t unkept = 0;          // commits that were not kept
  std::uint64_t scrubbed_bytes = 0;  // see CacheScrub
  std::uint64_t bad_entries = 0;     // found damaged, by whomever
};

// A blob being written, with its bytes' place in the reckoning; in the order in which it ends.
struct CacheStaging {
  std::unique_ptr<CacheReservation> reservation;
  std::shared_ptr<CacheEntry> entry;  // once it is kept
  StagedFile file;
  UniqueFd reading;
};

class FsCache final : public BlobStore {
 public:
  // Makes the folders at need, removes leftovers of earlier runs, counts what is there and brings
  // it within the bound. Blocks, 25,000 files for less than a second. `parts` as of FsBlobStore.
  // Fails: kInvalid: these are blobs, and no cache; kStorageFull, kInternal (message names `root`).
  static Result<std::unique_ptr<FsCache>> Open(std::string root, FsBlobParts parts,
                                               FsCacheOptions options);

  // Writers never fail for the bound, and on a full disk only once nothing is left to give way.
  // Their Commit always succeeds: whether the bytes are kept, Open tells.
  Result<std::unique_ptr<BlobWriter>> Create() override;
  WorkerPool& workers() override { return parts_.writers; }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override;
  // Fails: kNotFound; kUnavailable without descriptors.
  Task<std::shared_ptr<Blob>> Open(Digest digest) override;
  // As old as its file says: the last use, to the hour.
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override;
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override;

  // Takes the blob out, however it is. Blocks.
  void Drop(const Digest& digest);
  // To be called now and then, each minute for instance: notes in the files when they were last
  // used, at most hourly each, and looks whether the folder is still as it is remembered. Blocks.
  void Tidy();
  // Looks at every file. Blocks.
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
  bool RemoveNow(const Digest& digest, std::chrono::seconds older_than);
  void RecountFolder(std::size_t folder);
  void NoteUses();

  // For writers. All block.
  std::uint64_t most_each() const { return options_.bound / 4; }
  // Brings everything within the bound, as far as that goes.
  void MakeRoom();
  // On a full disk: lets go of `bytes` or a little more. Returns whether anything was there to go.
  bool GiveWay(std::uint64_t bytes);
  void Place(CacheStaging& staged, const BlobInfo& info);
  Status MoveIn(StagedFile& file, const Digest& digest);

  // Takes the entry's file away, unless another one has its place. Returns whether it did. Blocks.
  bool Remove(const Entry& entry, Why why);
  void Report(std::string_view what, const Error& error) const;

  const BlobLayout layout_;
  const FsBlobParts parts_;
  const FsCacheOptions options_;
  CacheIndex index_;
  // One lock per fan-out folder makes a file's name and its entry appear and go in one step. Taken
  // before the index's own.
  mutable std::array<std::mutex, BlobLayout::kFolders> locks_;
  std::atomic<bool> suspect_ = false;  // something was not where it should be
  std::atomic<FsBlob::Clock::time_point> recounted_;
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> misses_ = 0;
  std::atomic<std::uint64_t> evictions_ = 0;
  std::atomic<std::uint64_t> unkept_ = 0;
  std::atomic<std::uint64_t> scrubbed_ = 0;
  std::atomic<std::uint64_t> bad_ = 0;
};

}  // namespace koya
