#include "blobs/memory/memory_blob_store.h"

#include "blobs/blob_store_suite_base.h"
#include "blobs/remote_blob_store_fake.h"

namespace koya {
namespace {

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
