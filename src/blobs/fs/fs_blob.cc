#include "blobs/fs/fs_blob.h"

#include <unistd.h>

#include <cerrno>

namespace koya {

FsBlob::FsBlob(UniqueFd fd, const struct stat& status, WorkerPool& readers,
               std::shared_ptr<FileUse> use)
    : use_(std::move(use)),
      fd_(std::move(fd)),
      size_(static_cast<std::uint64_t>(status.st_size)),
      device_(status.st_dev),
      inode_(status.st_ino),
      readers_(readers),
      last_used_(Clock::now()) {}

FsBlob::~FsBlob() {
  if (!gone()) return;
  // Closing the last descriptor of a large file that has no name takes milliseconds, and this may
  // run on an event loop.
  auto file = std::make_shared<UniqueFd>(std::move(fd_));
  readers_.Post([use = std::move(use_), file]() mutable { file->Reset(); });
}

void FsBlob::NoteUse() const {
  const Clock::time_point now = Clock::now();
  last_used_.store(now, std::memory_order_relaxed);
  if (use_) use_->last.store(now, std::memory_order_relaxed);
}

std::optional<int> FsBlob::file_descriptor() const {
  NoteUse();
  return fd_.get();
}

Task<std::size_t> FsBlob::ReadAt(std::uint64_t offset, std::span<std::byte> into) {
  NoteUse();
  auto work = [this, offset, into] { return ReadNow(offset, into); };
  co_return co_await Offload(readers_, std::move(work));
}

Result<std::size_t> FsBlob::ReadNow(std::uint64_t offset, std::span<std::byte> into) const {
  while (true) {
    ssize_t count = ::pread(fd_.get(), into.data(), into.size(), static_cast<off_t>(offset));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    Error error = ErrnoError("read a blob", errno);
    error.kind = errno == EIO ? ErrorKind::kCorrupt : ErrorKind::kUnavailable;
    return Failure(std::move(error));
  }
}

bool FsBlob::IsLinked() const {
  struct stat status{};
  return ::fstat(fd_.get(), &status) == 0 && status.st_nlink > 0;
}

}  // namespace koya
