#include "blobs/fs/fs_blob_writer.h"

#include "base/offload.h"
#include "blobs/fs/fs_blob_store.h"

namespace koya {

FsBlobWriter::FsBlobWriter(FsBlobStore& store, WorkerPool& pool, StagedFile file, UniqueFd staged)
    : store_(store),
      pool_(pool),
      file_(std::make_shared<StagedFile>(std::move(file))),
      staged_(std::move(staged)) {}

FsBlobWriter::~FsBlobWriter() {
  if (!file_->pending()) return;  // it is where it belongs
  // Removing a large file takes milliseconds, and this may run on an event loop.
  pool_.Post([file = std::move(file_)] { file->Discard(); });
}

Status FsBlobWriter::Write(std::span<const std::byte> bytes) {
  if (failure_) return Failure(*failure_);
  size_ += bytes.size();
  hasher_.Update(bytes);
  if (Status written = file_->Append(bytes); !written) {
    failure_ = std::move(written).error();
    return Failure(*failure_);
  }
  return {};
}

Result<BlobInfo> FsBlobWriter::Finish() {
  if (failure_) return Failure(*failure_);
  info_ = BlobInfo{Digest(hasher_.Finish()), size_};
  return *info_;
}

Task<void> FsBlobWriter::Commit() {
  auto work = [this] { return CommitNow(); };
  co_return co_await Offload(pool_, std::move(work));
}

Status FsBlobWriter::CommitNow() {
  if (!info_) {
    return Fail(ErrorKind::kInternal, "the server could not store the upload; see its log",
                "a blob was committed before it was finished");
  }
  return store_.Place(*file_, *info_);
}

}  // namespace koya
