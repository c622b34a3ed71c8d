// The temporary file behind a blob that is being written.
//
// It is removed when this object goes, unless it was moved into place. Every method blocks: call
// them on a worker. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace koya {

class StagedFile {
 public:
  // A new file in `folder`, under a random name and an flock that tells it from a leftover.
  // Fails: kStorageFull, kInternal.
  static Result<StagedFile> Create(const std::string& folder);

  // Takes over an open file. Tests stage files that fail on command with it.
  StagedFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  StagedFile(StagedFile&& other) noexcept = default;
  StagedFile& operator=(StagedFile&& other) = delete;
  ~StagedFile() { Discard(); }

  // Appends all of `bytes`. Fails: kStorageFull, kInternal.
  Status Append(std::span<const std::byte> bytes);
  // Opens what was written for reading only. Fails: kInternal.
  Result<UniqueFd> OpenForReading() const;
  // Notes size and age, and waits until the bytes are on the disk. Fails: kStorageFull, kInternal.
  Status Sync(std::uint64_t size);
  // Renames the file; it is no longer temporary then. Fails: kStorageFull, kInternal.
  Status MoveTo(const std::string& path);
  // Takes the file's name away: it can be written and read on, will never be moved into place, and
  // is gone once it is closed.
  void Unlink();
  // Whether the file still has a name: somebody else may have removed it.
  bool IsLinked() const;
  // After Append failed: the next one begins where it did.
  void Rewind();
  // Whether there is still a temporary file.
  bool pending() const { return !path_.empty(); }
  // Removes the file. Harmless when it is gone or was moved.
  void Discard();

  // Removes the files in `folder` that no writer, of this or another process, holds; not those that
  // are being removed (blob_removal.h).
  static void RemoveLeftovers(const std::string& folder);

 private:
  UniqueFd fd_;
  std::string path_;  // "" once moved or discarded
  std::uint64_t written_ = 0;
  std::uint64_t flushed_ = 0;  // how far the kernel was told to begin writing out
};

}  // namespace koya
