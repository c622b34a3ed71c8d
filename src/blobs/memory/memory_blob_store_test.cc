#include "blobs/memory/memory_blob_store.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "blobs/blob_store_suite_base.h"

namespace koya {
namespace {

// A store that behaves like an object store. Bytes are staged in local files, and stored blobs have
// no descriptor.
class FakeRemoteBlobStore final : public BlobStore {
 public:
  Result<std::unique_ptr<BlobWriter>> Create() override { return staging_.Create(); }
  WorkerPool& workers() override { return staging_.workers(); }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override {
    return staging_.CommitAll(std::move(writers));
  }
  Task<std::shared_ptr<Blob>> Open(Digest digest) override {
    ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await staging_.Open(digest));
    co_return std::make_shared<RemoteBlob>(std::move(blob));
  }
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override {
    return staging_.RemoveIfOlder(digest, older_than);
  }
  Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                      std::chrono::seconds older_than) override {
    return staging_.FindOlder(std::move(digests), older_than);
  }
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override {
    return staging_.List(after, limit);
  }
  void SetAge(const Digest& digest, std::chrono::seconds age) { staging_.SetAge(digest, age); }

 private:
  class RemoteBlob final : public Blob {
   public:
    explicit RemoteBlob(std::shared_ptr<Blob> blob) : blob_(std::move(blob)) {}
    std::uint64_t size() const override { return blob_->size(); }
    std::optional<int> file_descriptor() const override { return std::nullopt; }
    Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override {
      return blob_->ReadAt(offset, into);
    }

   private:
    std::shared_ptr<Blob> blob_;
  };

  MemoryBlobStore staging_;
};

struct MemoryBackend : BlobStoreBackend {
  MemoryBlobStore blobs;
  BlobStore& store() override { return blobs; }
  void SetAge(const Digest& digest, std::chrono::seconds age) override {
    blobs.SetAge(digest, age);
  }
};

struct RemoteBackend : BlobStoreBackend {
  FakeRemoteBlobStore blobs;
  BlobStore& store() override { return blobs; }
  void SetAge(const Digest& digest, std::chrono::seconds age) override {
    blobs.SetAge(digest, age);
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, BlobStoreSuite, ::testing::Values(&MakeBackend<MemoryBackend>));
INSTANTIATE_TEST_SUITE_P(Remote, BlobStoreSuite, ::testing::Values(&MakeBackend<RemoteBackend>));

}  // namespace

}  // namespace koya
