// Writes one blob of an S3BlobStore: stages it on the cache's disk, and uploads it when it is
// committed.
#pragma once

#include <memory>
#include <optional>

#include "blobs/blob_store.h"

namespace koya {

class S3BlobStore;

class S3BlobWriter final : public BlobWriter {
 public:
  // `store` outlives the writer.
  S3BlobWriter(S3BlobStore& store, std::unique_ptr<BlobWriter> staged)
      : store_(store), staged_(std::move(staged)) {}

  Status Write(std::span<const std::byte> bytes) override { return staged_->Write(bytes); }
  std::uint64_t size() const override { return staged_->size(); }
  int staged_file() const override { return staged_->staged_file(); }
  Result<BlobInfo> Finish() override;
  Task<void> Commit() override;

 private:
  S3BlobStore& store_;
  const std::unique_ptr<BlobWriter> staged_;
  std::optional<BlobInfo> info_;  // set by Finish
};

}  // namespace koya
