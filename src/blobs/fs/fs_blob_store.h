// A blob store in one folder, a file per blob. See blob_layout.h for the tree.
//
// Durability: a committed blob was fsynced, then renamed into place, then its folder was fsynced. A
// kill at any moment leaves a temporary file (removed at the next start) or a complete blob.
// Several processes may use one folder: commits are renames, leftovers are recognized by their
// missing locks, and removals yield to commits (blob_removal.h).
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "base/offload.h"
#include "blobs/blob_store.h"
#include "blobs/fs/blob_layout.h"
#include "blobs/fs/blob_removal.h"
#include "blobs/fs/open_files.h"
#include "blobs/fs/staged_file.h"

namespace koya {

// Dependencies of the store. All of them outlive the store, its blobs and its writers.
struct FsBlobParts {
  WorkerPool& readers;  // opening and reading: never waits for an fsync
  WorkerPool& writers;  // everything else
  OpenFiles& open_files;
};

class FsBlobStore final : public BlobStore {
 public:
  // Creates missing folders and removes leftovers of earlier runs. Blocks. Fails: kStorageFull,
  // kInternal (message names `root`). `watch`: for tests.
  static Result<std::unique_ptr<FsBlobStore>> Open(std::string root, FsBlobParts parts,
                                                   FsWatch watch = {});

  Result<std::unique_ptr<BlobWriter>> Create() override;
  WorkerPool& workers() override { return parts_.writers; }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override;
  Task<std::shared_ptr<Blob>> Open(Digest digest) override;
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override;
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override;

  // Moves a staged file into place, or drops it when its bytes are already stored intact. Blocks;
  // any thread. For FsBlobWriter.
  Status Place(StagedFile& file, const BlobInfo& info);

 private:
  FsBlobStore(std::string root, FsBlobParts parts, FsWatch watch)
      : layout_(std::move(root)), parts_(parts), watch_(std::move(watch)) {}
  Result<std::unique_ptr<BlobWriter>> CreateNow();
  Result<std::shared_ptr<Blob>> OpenNow(const Digest& digest);
  Result<bool> RemoveNow(const Digest& digest, std::chrono::seconds older_than);
  Result<std::vector<BlobInfo>> ListNow(std::optional<Digest> after, std::size_t limit) const;
  Status PrepareFolder(const Digest& digest);

  const BlobLayout layout_;
  const FsBlobParts parts_;
  const FsWatch watch_;
  // One lock per fan-out folder makes check-then-act atomic. Held on workers only.
  mutable std::array<std::mutex, BlobLayout::kFolders> locks_;
  std::array<bool, BlobLayout::kFolders> prepared_{};  // by the lock of the same index
};

}  // namespace koya
