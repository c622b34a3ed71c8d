// An open blob file of an FsBlobStore or FsCache.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "base/file.h"
#include "base/offload.h"
#include "blobs/blob_store.h"

namespace koya {

// Use of a cached file, tracked by the cache while the file is open.
struct FileUse {
  std::atomic<std::chrono::steady_clock::time_point> last;
  std::atomic<bool> gone = false;  // as Blob::gone
};

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

}  // namespace koya
