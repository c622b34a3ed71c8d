// The disk in front of a remote store: where uploads and fills are staged, and what was read or
// written lately. Nothing in it is needed: what it has lost, or cannot keep, costs a transfer.
#pragma once

#include <memory>

#include "blobs/blob_store.h"
#include "obs/log.h"

namespace koya {

// Threads: any.
class CacheDisk {
 public:
  // `files`: blobs that are files on this machine. All of it outlives this.
  CacheDisk(BlobStore& files, Logger& log) : files_(files), log_(log) {}

  WorkerPool& workers() { return files_.workers(); }
  // A staged file. Blocks. Fails: kStorageFull, kInternal.
  Result<std::unique_ptr<BlobWriter>> Create() { return files_.Create(); }
  // The blob, when it is here and whole; else null. What is damaged is dropped.
  Awaitable<std::shared_ptr<Blob>> Find(Digest digest);
  // Keeps a finished file. A failure is logged: the bytes are just not kept.
  Awaitable<void> Keep(BlobWriter& writer, BlobInfo info);
  Awaitable<void> Drop(Digest digest);

 private:
  BlobStore& files_;
  Logger& log_;
};

}  // namespace koya
