#include "blobs/fs/fs_cache_writer.h"

namespace koya {

// What has no name is freed as its last descriptor is closed: not here, which may be an event loop.
FsCacheWriter::~FsCacheWriter() {
  const bool is_kept = staging_->entry && !staging_->entry->gone;
  if (is_kept) return;
  cache_.parts_.writers.Post([staging = std::move(staging_)]() mutable { staging.reset(); });
}

Status FsCacheWriter::Append(std::span<const std::byte> bytes) {
  Status written = staging_->file.Append(bytes);
  while (!written && written.error().kind == ErrorKind::kStorageFull) {
    // It goes on, at the expense of others and for this once only.
    staging_->file.Unlink();
    if (!cache_.GiveWay(bytes.size())) break;
    staging_->file.Rewind();
    written = staging_->file.Append(bytes);
  }
  return written;
}

Status FsCacheWriter::Write(std::span<const std::byte> bytes) {
  if (failure_) return Failure(*failure_);
  size_ += bytes.size();
  hasher_.Update(bytes);
  staging_->reservation->Grow(bytes.size());
  if (size_ > cache_.most_each()) staging_->file.Unlink();
  cache_.MakeRoom();
  if (Status written = Append(bytes); !written) {
    failure_ = std::move(written).error();
    return Failure(*failure_);
  }
  return {};
}

Result<BlobInfo> FsCacheWriter::Finish() {
  if (failure_) return Failure(*failure_);
  info_ = BlobInfo{Digest(hasher_.Finish()), size_};
  return *info_;
}

Task<void> FsCacheWriter::Commit() {
  auto work = [this] { return CommitNow(); };
  co_return co_await Offload(cache_.parts_.writers, std::move(work));
}

Status FsCacheWriter::CommitNow() {
  if (!info_) {
    return Fail(ErrorKind::kInternal, "the server could not store the upload; see its log",
                "a blob was committed before it was finished");
  }
  if (!staging_->entry) cache_.Place(*staging_, *info_);
  return {};
}

}  // namespace koya
