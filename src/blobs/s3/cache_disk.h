// The disk in front of a remote store: where uploads and fills are staged, and what was read or
// written lately. Nothing in it is needed: it may be deleted at any time, and what it cannot do
// costs a transfer, never an answer.
#pragma once

#include <memory>
#include <string>

#include "blobs/fs/fs_blob_store.h"
#include "obs/log.h"

namespace koya {

// Threads: any.
class CacheDisk {
 public:
  // `root` is the folder of `files`. All of it outlives this.
  CacheDisk(FsBlobStore& files, std::string root, Logger& log)
      : files_(files), layout_(std::move(root)), log_(log) {}

  WorkerPool& workers() { return files_.workers(); }
  // A staged file; the folder is made anew when somebody deleted it. Blocks. Fails: kStorageFull,
  // kInternal.
  Result<std::unique_ptr<BlobWriter>> Create();
  // The blob, when it is here and whole; else null. What is damaged is dropped.
  Awaitable<std::shared_ptr<Blob>> Find(Digest digest);
  // Keeps a finished file. A failure is logged: the bytes are just not kept.
  Awaitable<void> Keep(BlobWriter& writer, BlobInfo info);
  Awaitable<void> Drop(Digest digest);

 private:
  FsBlobStore& files_;
  const BlobLayout layout_;
  Logger& log_;
};

}  // namespace koya
