// A blob as a file of this machine, for those who must seek in it.
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
  std::unique_ptr<BlobWriter> copy;  // of a blob that is no file here; never committed
  int descriptor = -1;               // readable while this exists
  std::uint64_t size = 0;
};

// Waits for what still arrives, and copies what lies elsewhere. `pool` waits for the disk. Fails:
// as BlobStore::Open and Blob::ReadAt; kStorageFull.
Task<LocalBlob> OpenLocalBlob(BlobStore& blobs, WorkerPool& pool, Digest digest);

}  // namespace koya::service
