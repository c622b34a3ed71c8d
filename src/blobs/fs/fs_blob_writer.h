// Writes one blob of an FsBlobStore: hashes and stages it.
#pragma once

#include <memory>
#include <optional>

#include "base/file.h"
#include "base/sha256.h"
#include "blobs/blob_store.h"
#include "blobs/fs/staged_file.h"

namespace koya {

class FsBlobStore;
class WorkerPool;

class FsBlobWriter final : public BlobWriter {
 public:
  // `store` and `pool` outlive the writer.
  FsBlobWriter(FsBlobStore& store, WorkerPool& pool, StagedFile file, UniqueFd staged);
  ~FsBlobWriter() override;

  Status Write(std::span<const std::byte> bytes) override;
  std::uint64_t size() const override { return size_; }
  int staged_file() const override { return staged_.get(); }
  Result<BlobInfo> Finish() override;
  Task<void> Commit() override;
  // Commits like Commit(), but blocks.
  Status CommitNow();

 private:
  FsBlobStore& store_;
  WorkerPool& pool_;
  std::shared_ptr<StagedFile> file_;  // shared with the clean-up that outlives the writer
  UniqueFd staged_;                   // the same file, for reading only
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
  std::optional<Error> failure_;  // a blob with a hole in it must never be committed
  std::optional<BlobInfo> info_;  // set by Finish
};

}  // namespace koya
