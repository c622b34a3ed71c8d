#include "blobs/memory/memory_blob_store.h"

#include "blobs/blob_store_suite.h"
#include "blobs/remote_blob_store_fake.h"

namespace koya {
namespace {

struct MemoryBackend {
  MemoryBlobStore blobs;
  BlobStore& store() { return blobs; }
  void SetAge(const Digest& digest, std::chrono::seconds age) { blobs.SetAge(digest, age); }
};

struct RemoteBackend {
  FakeRemoteBlobStore blobs;
  BlobStore& store() { return blobs; }
  void SetAge(const Digest& digest, std::chrono::seconds age) { blobs.SetAge(digest, age); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, BlobStoreSuite, MemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Remote, BlobStoreSuite, RemoteBackend);

}  // namespace
}  // namespace koya
