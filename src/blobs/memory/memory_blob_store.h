// Blobs in anonymous files (memfd): for tests, and for servers that keep nothing.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include "base/offload.h"
#include "blobs/blob_store.h"

namespace koya {

// Nothing blocks, so what is awaited happens where it is called. "Durable" here means: as long as
// the store lives.
class MemoryBlobStore final : public BlobStore {
 public:
  MemoryBlobStore() = default;

  Result<std::unique_ptr<BlobWriter>> Create() override;
  WorkerPool& workers() override { return workers_; }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override;
  Task<std::shared_ptr<Blob>> Open(Digest digest) override;
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override;
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override;

  // For tests: the blob, if it is there, was last committed so long ago.
  void SetAge(const Digest& digest, std::chrono::seconds age);
  // Keeps `blob` unless its bytes are there already; its age begins anew. For the writer.
  void Keep(const BlobInfo& info, std::shared_ptr<Blob> blob);

 private:
  struct Entry {
    std::shared_ptr<Blob> blob;  // shared with whoever opened it
    std::chrono::steady_clock::time_point committed_at;
  };
  std::mutex mutex_;  // never held over an await
  std::map<Digest, Entry> entries_;
  WorkerPool workers_{1};  // for those who feed writers and know no other threads
};

}  // namespace koya
