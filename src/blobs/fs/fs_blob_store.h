// A blob store in one folder, a file per blob. See blob_files.h for the tree.
//
// Durability: a committed blob was fsynced, then renamed into place, then its folder was fsynced. A
// kill at any moment leaves a temporary file (removed at the next start) or a complete blob.
// Several processes may use one folder: commits are renames, leftovers are recognized by their
// missing locks, and removals yield to commits (blob_files.h).
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/offload.h"
#include "base/sha256.h"
#include "blobs/blob_store.h"
#include "blobs/fs/blob_files.h"
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
  Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                      std::chrono::seconds older_than) override;
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

// Writes one blob of an FsBlobStore: hashes and stages it.
class FsBlobWriter final : public BlobWriter {
 public:
  // `store` and `pool` outlive the writer.
  FsBlobWriter(FsBlobStore& store, WorkerPool& pool, StagedFile file, UniqueFd staged);
  ~FsBlobWriter() override;

  Status Write(std::span<const std::byte> bytes) override;
  std::uint64_t size() const override { return size_; }
  int staged_file() const override { return staged_.get(); }
  Result<BlobInfo> Finish() override;
  Task<void> Commit() override;
  // Commits like Commit(), but blocks.
  Status CommitNow();

 private:
  FsBlobStore& store_;
  WorkerPool& pool_;
  std::shared_ptr<StagedFile> file_;  // shared with the clean-up that outlives the writer
  UniqueFd staged_;                   // the same file, for reading only
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
  std::optional<Error> failure_;  // a blob with a hole in it must never be committed
  std::optional<BlobInfo> info_;  // set by Finish
};

}  // namespace koya
