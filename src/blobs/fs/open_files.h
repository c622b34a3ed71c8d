// A cache of open files of an FsBlobStore or FsCache, so that a warm download needs no open().
//
// One descriptor a blob, regardless of how many names refer to it. Holds at most `most`
// descriptors, and gives some back when the process runs out: open files are only a convenience. A
// holder of a blob keeps its file open; this cache matters only for blobs without a holder.
// Thread-safe.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/file.h"
#include "base/offload.h"
#include "base/result.h"
#include "blobs/blob_store.h"
#include "domain/digest.h"

namespace koya {

// Use of a cached file, tracked by the cache while the file is open.
struct FileUse {
  std::atomic<std::chrono::steady_clock::time_point> last;
  std::atomic<bool> gone = false;  // as Blob::gone
};

// An open blob file of an FsBlobStore or FsCache.
class FsBlob final : public Blob {
 public:
  using Clock = std::chrono::steady_clock;

  // `status` is that of `fd`; `readers` outlives the blob. `use`: for a cache; records each use,
  // and is released after the file is closed.
  FsBlob(UniqueFd fd, const struct stat& status, WorkerPool& readers,
         std::shared_ptr<FileUse> use = nullptr);
  ~FsBlob() override;

  std::uint64_t size() const override { return size_; }
  // Counts as a use, like a read.
  std::optional<int> file_descriptor() const override;
  Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override;
  bool gone() const override { return use_ && use_->gone; }

  Clock::time_point last_used() const { return last_used_.load(std::memory_order_relaxed); }
  // Whether both are the same file, not just equal bytes.
  bool IsSameFile(const FsBlob& other) const {
    return device_ == other.device_ && inode_ == other.inode_;
  }
  // Whether the file still has a name. Blocks on some file systems.
  bool IsLinked() const;

 private:
  void NoteUse() const;
  Result<std::size_t> ReadNow(std::uint64_t offset, std::span<std::byte> into) const;

  std::shared_ptr<FileUse> use_;  // before the file, which is closed first
  UniqueFd fd_;
  const std::uint64_t size_;
  const dev_t device_;
  const ino_t inode_;
  WorkerPool& readers_;
  mutable std::atomic<Clock::time_point> last_used_;
};

class OpenFiles {
 public:
  explicit OpenFiles(std::size_t most) : most_(most) {}

  // Taken before a file is opened and passed to AddOpened: if a file was evicted since, it may be
  // this one.
  struct Ticket {
    std::uint64_t forgotten = 0;
  };
  Ticket TakeTicket() const;

  // Returns the blob to use: the one already open for the same file, if any.
  std::shared_ptr<Blob> AddOpened(Ticket ticket, const Digest& digest,
                                  std::shared_ptr<FsBlob> opened);
  // Call when the file was removed or replaced: its descriptor must not keep disk space from being
  // freed.
  void Evict(const Digest& digest);

  // Closes half of the cached files, the least recently used first. Returns whether that freed a
  // descriptor.
  bool GiveWay();
  // Calls `open`, which returns a Result, and retries once when it failed for lack of descriptors
  // and some could be freed.
  template <class Open>
  auto WithDescriptors(Open open) -> decltype(open()) {
    auto outcome = open();
    if (outcome || outcome.error().kind != ErrorKind::kUnavailable || !GiveWay()) return outcome;
    return open();
  }
  // Closes files that were not used for `idle`, and files that another process removed. Blocks on
  // some file systems.
  void Tidy(std::chrono::seconds idle);

  std::size_t count() const;

 private:
  using Files = std::map<Digest, std::shared_ptr<FsBlob>>;
  // Removes the least recently used files, for the caller to close without the lock. REQUIRES: the
  // lock is held.
  std::vector<std::shared_ptr<FsBlob>> TakeOldest(std::size_t count);

  const std::size_t most_;
  mutable std::mutex mutex_;
  Files files_;
  std::uint64_t forgotten_ = 0;
};

}  // namespace koya
