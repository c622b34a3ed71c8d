#include "blobs/fs/fs_blob_writer.h"

#include "base/offload.h"
#include "blobs/fs/fs_blob_store.h"

namespace koya {

FsBlobWriter::FsBlobWriter(FsBlobStore& store, WorkerPool& pool, StagedFile file)
    : store_(store), pool_(pool), file_(std::make_shared<StagedFile>(std::move(file))) {}

FsBlobWriter::~FsBlobWriter() {
  // Removing a large file takes milliseconds, and this may run on an event loop.
  pool_.Post([file = std::move(file_)] { file->Discard(); });
}

Task<void> FsBlobWriter::Write(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (!failure_ && batch_.size() + bytes.size() < kBatch) {
    if (batch_.capacity() == 0) batch_.reserve(kBatch);
    batch_.insert(batch_.end(), bytes.begin(), bytes.end());
    co_return Status();
  }
  auto work = [this, bytes] { return Flush(bytes); };
  co_return co_await Offload(pool_, std::move(work));
}

// What was gathered, then `bytes` from where they lie.
Status FsBlobWriter::Flush(std::span<const std::byte> bytes) {
  for (std::span<const std::byte> part : {std::span<const std::byte>(batch_), bytes}) {
    if (failure_) return Failure(*failure_);
    hasher_.Update(part);
    if (Status written = file_->Append(part); !written) failure_ = std::move(written).error();
  }
  batch_.clear();
  if (failure_) return Failure(*failure_);
  return {};
}

Task<int> FsBlobWriter::Follow() {
  auto work = [this]() -> Result<int> {
    RETURN_IF_ERROR(Flush({}));
    if (!staged_.valid()) {
      ASSIGN_OR_RETURN(staged_, file_->OpenForReading());
    }
    return staged_.get();
  };
  co_return co_await Offload(pool_, std::move(work));
}

Task<BlobInfo> FsBlobWriter::Finish() {
  auto work = [this] { return FinishNow(); };
  co_return co_await Offload(pool_, std::move(work));
}

Result<BlobInfo> FsBlobWriter::FinishNow() {
  RETURN_IF_ERROR(Flush({}));
  batch_ = {};
  if (!staged_.valid()) {
    ASSIGN_OR_RETURN(staged_, file_->OpenForReading());
  }
  info_ = BlobInfo{Digest(hasher_.Finish()), size_};
  return *info_;
}

Task<void> FsBlobWriter::Commit() {
  auto work = [this] { return CommitNow(); };
  co_return co_await Offload(pool_, std::move(work));
}

Status FsBlobWriter::CommitNow() {
  if (!info_) {
    return Fail(ErrorKind::kInternal, "the server could not store the upload; its log says why",
                "a blob was committed before it was finished");
  }
  return store_.Place(*file_, *info_);
}

}  // namespace koya
