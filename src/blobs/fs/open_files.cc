#include "blobs/fs/open_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

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

OpenFiles::Ticket OpenFiles::TakeTicket() const {
  std::lock_guard lock(mutex_);
  return {forgotten_};
}

std::shared_ptr<Blob> OpenFiles::AddOpened(Ticket ticket, const Digest& digest,
                                           std::shared_ptr<FsBlob> opened) {
  std::vector<std::shared_ptr<FsBlob>> closed;  // before the lock, so that it outlives it
  std::lock_guard lock(mutex_);
  if (most_ == 0 || ticket.forgotten != forgotten_) return opened;
  auto kept = files_.find(digest);
  if (kept != files_.end() && kept->second->IsSameFile(*opened)) return kept->second;
  if (kept != files_.end()) {
    closed.push_back(std::exchange(kept->second, opened));
    return opened;
  }
  // Some more than needed at once: looking for the oldest takes a walk over all.
  if (files_.size() >= most_) closed = TakeOldest(most_ / 16 + 1);
  files_.emplace(digest, opened);
  return opened;
}

void OpenFiles::Evict(const Digest& digest) {
  Files::node_type closed;
  std::lock_guard lock(mutex_);
  ++forgotten_;
  closed = files_.extract(digest);
}

std::vector<std::shared_ptr<FsBlob>> OpenFiles::TakeOldest(std::size_t count) {
  std::vector<std::pair<FsBlob::Clock::time_point, Digest>> ages;
  ages.reserve(files_.size());
  for (const auto& [digest, blob] : files_) ages.emplace_back(blob->last_used(), digest);
  count = std::min(count, ages.size());
  auto last = ages.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(ages.begin(), last, ages.end());
  std::vector<std::shared_ptr<FsBlob>> taken;
  for (const auto& [age, digest] : std::span(ages).first(count)) {
    taken.push_back(std::move(files_.extract(digest).mapped()));
  }
  return taken;
}

bool OpenFiles::GiveWay() {
  std::vector<std::shared_ptr<FsBlob>> closed;
  {
    std::lock_guard lock(mutex_);
    closed = TakeOldest((files_.size() + 1) / 2);
  }
  auto is_last = [](const std::shared_ptr<FsBlob>& blob) { return blob.use_count() == 1; };
  return std::ranges::any_of(closed, is_last);
}

void OpenFiles::Tidy(std::chrono::seconds idle) {
  Files all;
  {
    std::lock_guard lock(mutex_);
    all = files_;
  }
  FsBlob::Clock::time_point oldest = FsBlob::Clock::now() - idle;
  for (const auto& [digest, blob] : all) {
    if (blob->last_used() > oldest && blob->IsLinked()) continue;
    std::lock_guard lock(mutex_);
    auto kept = files_.find(digest);
    if (kept != files_.end() && kept->second == blob) files_.erase(kept);
  }
}

std::size_t OpenFiles::count() const {
  std::lock_guard lock(mutex_);
  return files_.size();
}

}  // namespace koya
