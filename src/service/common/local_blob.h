// Opens a blob as a local file, for readers that seek.
#pragma once

#include <cstdint>
#include <memory>

#include "base/task.h"
#include "blobs/blob_store.h"

namespace koya {
class WorkerPool;
}

namespace koya::service {

struct LocalBlob {
  std::shared_ptr<Blob> blob;
  std::unique_ptr<BlobWriter> copy;  // of a blob that is not a local file; never committed
  int descriptor = -1;               // readable while this object exists
  std::uint64_t size = 0;
};

// Waits for a blob that is still arriving, and copies one that is stored remotely. `pool` runs the
// blocking disk access. Fails: as BlobStore::Open and Blob::ReadAt; kStorageFull.
Task<LocalBlob> OpenLocalBlob(BlobStore& blobs, WorkerPool& pool, Digest digest);

}  // namespace koya::service
