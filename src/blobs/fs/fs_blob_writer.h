// Writes one blob of an FsBlobStore: batches, hashes and stages it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/sha256.h"
#include "blobs/blob_store.h"
#include "blobs/fs/staged_file.h"

namespace koya {

class FsBlobStore;
class WorkerPool;

class FsBlobWriter final : public BlobWriter {
 public:
  // Small pieces are gathered to this size before a worker hashes and writes them: a hop to a
  // worker costs as much as hashing several kilobytes.
  static constexpr std::size_t kBatch = 256 * 1024;

  // `store` and `pool` outlive the writer.
  FsBlobWriter(FsBlobStore& store, WorkerPool& pool, StagedFile file);
  ~FsBlobWriter() override;

  Task<void> Write(std::span<const std::byte> bytes) override;
  std::uint64_t size() const override { return size_; }
  Task<int> Follow() override;
  Task<BlobInfo> Finish() override;
  int staged_file() const override { return staged_.get(); }
  Task<void> Commit() override;

 private:
  Status Flush(std::span<const std::byte> bytes);
  Result<BlobInfo> FinishNow();
  Status CommitNow();

  FsBlobStore& store_;
  WorkerPool& pool_;
  std::shared_ptr<StagedFile> file_;  // shared with the clean-up that outlives the writer
  Sha256Hasher hasher_;
  std::vector<std::byte> batch_;
  std::uint64_t size_ = 0;
  std::optional<Error> failure_;  // a blob with a hole in it must never be committed
  std::optional<BlobInfo> info_;  // set by Finish
  UniqueFd staged_;
};

}  // namespace koya
