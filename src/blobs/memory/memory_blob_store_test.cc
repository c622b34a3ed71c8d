#include "blobs/memory/memory_blob_store.h"

#include "blobs/blob_store_suite.h"

namespace koya {
namespace {

struct MemoryBackend {
  MemoryBlobStore blobs;
  BlobStore& store() { return blobs; }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, BlobStoreSuite, MemoryBackend);

}  // namespace
}  // namespace koya
