// For tests: a store that cannot be reached for a while, as an object store whose network is gone.
// What is written is staged here all the same.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "blobs/memory/memory_blob_store.h"

namespace koya {

class UnreachableBlobStore final : public BlobStore {
 public:
  std::atomic<bool> away = false;
  std::atomic<ErrorKind> failure = ErrorKind::kUnavailable;  // while it is

  Result<std::unique_ptr<BlobWriter>> Create() override {
    ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> writer, inner_.Create());
    return std::make_unique<Writer>(*this, std::move(writer));
  }
  WorkerPool& workers() override { return inner_.workers(); }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override {
    for (BlobWriter* writer : writers) CO_RETURN_IF_ERROR(co_await writer->Commit());
    co_return Status();
  }
  Task<std::shared_ptr<Blob>> Open(Digest digest) override {
    CO_RETURN_IF_ERROR(Reach());
    co_return co_await inner_.Open(digest);
  }
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override {
    CO_RETURN_IF_ERROR(Reach());
    co_return co_await inner_.RemoveIfOlder(digest, older_than);
  }
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override {
    CO_RETURN_IF_ERROR(Reach());
    co_return co_await inner_.List(after, limit);
  }

 private:
  class Writer final : public BlobWriter {
   public:
    Writer(UnreachableBlobStore& store, std::unique_ptr<BlobWriter> inner)
        : store_(store), inner_(std::move(inner)) {}
    Status Write(std::span<const std::byte> bytes) override { return inner_->Write(bytes); }
    std::uint64_t size() const override { return inner_->size(); }
    int staged_file() const override { return inner_->staged_file(); }
    Result<BlobInfo> Finish() override { return inner_->Finish(); }
    Task<void> Commit() override {
      CO_RETURN_IF_ERROR(store_.Reach());
      co_return co_await inner_->Commit();
    }

   private:
    UnreachableBlobStore& store_;
    const std::unique_ptr<BlobWriter> inner_;
  };

  Status Reach() const {
    if (!away) return {};
    return Fail(failure, "the object store cannot be reached");
  }

  MemoryBlobStore inner_;
};

}  // namespace koya
