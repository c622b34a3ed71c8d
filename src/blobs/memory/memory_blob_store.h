// A blob store in anonymous files (memfd): for tests, and for servers that store nothing.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include "base/offload.h"
#include "blobs/blob_store.h"

namespace koya {

// Nothing blocks, so awaited operations run on the calling thread. "Durable" here means for the
// lifetime of the store.
class MemoryBlobStore final : public BlobStore {
 public:
  MemoryBlobStore() = default;

  Result<std::unique_ptr<BlobWriter>> Create() override;
  WorkerPool& workers() override { return workers_; }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override;
  Task<std::shared_ptr<Blob>> Open(Digest digest) override;
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override;
  Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                      std::chrono::seconds older_than) override;
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override;

  // For tests: sets how long ago the blob, if it exists, was last committed.
  void SetAge(const Digest& digest, std::chrono::seconds age);
  // Stores `blob` unless its bytes are already stored; restarts its age. For the writer.
  void AddBlob(const BlobInfo& info, std::shared_ptr<Blob> blob);

 private:
  struct Entry {
    std::shared_ptr<Blob> blob;  // shared with its readers
    std::chrono::steady_clock::time_point committed_at;
  };
  std::mutex mutex_;  // never held over an await
  std::map<Digest, Entry> entries_;
  WorkerPool workers_{1};  // for callers that feed writers and have no other threads
};

}  // namespace koya
