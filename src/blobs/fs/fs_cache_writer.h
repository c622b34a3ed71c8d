// Writes one blob of an FsCache: counts, hashes and stages it.
#pragma once

#include <memory>
#include <optional>

#include "base/sha256.h"
#include "blobs/blob_store.h"
#include "blobs/fs/fs_cache.h"

namespace koya {

class FsCacheWriter final : public BlobWriter {
 public:
  // `cache` outlives the writer.
  FsCacheWriter(FsCache& cache, std::shared_ptr<CacheStaging> staging)
      : cache_(cache), staging_(std::move(staging)) {}
  ~FsCacheWriter() override;

  Status Write(std::span<const std::byte> bytes) override;
  std::uint64_t size() const override { return size_; }
  int staged_file() const override { return staging_->reading.get(); }
  Result<BlobInfo> Finish() override;
  Task<void> Commit() override;
  // Commits like Commit(), but blocks.
  Status CommitNow();

 private:
  Status Append(std::span<const std::byte> bytes);

  FsCache& cache_;
  std::shared_ptr<CacheStaging> staging_;  // shared with the clean-up that outlives the writer
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
  std::optional<Error> failure_;
  std::optional<BlobInfo> info_;  // set by Finish
};

}  // namespace koya
