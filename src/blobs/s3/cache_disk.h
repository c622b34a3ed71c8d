// The disk cache in front of a remote store: it stages uploads and fills, and caches blobs that
// were recently read or written. Nothing in it is essential: a blob that it lost or could not cache
// costs a transfer.
#pragma once

#include <memory>

#include "blobs/blob_store.h"
#include "obs/log.h"

namespace koya {

// Threads: any.
class CacheDisk {
 public:
  // `files`: a store of files on this machine. The arguments outlive this.
  CacheDisk(BlobStore& files, Logger& log) : files_(files), log_(log) {}

  WorkerPool& workers() { return files_.workers(); }
  // Creates a staged file. Blocks. Fails: kStorageFull, kInternal.
  Result<std::unique_ptr<BlobWriter>> Create() { return files_.Create(); }
  // Returns the blob if it is cached and intact; else null. A damaged blob is dropped.
  Awaitable<std::shared_ptr<Blob>> OpenCached(Digest digest);
  // Caches a finished file. A failure is only logged: the bytes are not cached then.
  Awaitable<void> StoreBlob(BlobWriter& writer, BlobInfo info);
  Awaitable<void> Drop(Digest digest);

 private:
  BlobStore& files_;
  Logger& log_;
};

}  // namespace koya
