// A temporary file that holds a blob being written.
//
// The destructor removes it, unless it was moved into place. Every method blocks: call them on a
// worker. One thread at a time.
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
  // Creates a file in `folder`, under a random name and with an flock that distinguishes it from a
  // leftover. Fails: kStorageFull, kInternal.
  static Result<StagedFile> Create(const std::string& folder);

  // Takes over an open file. Tests use it to stage files that fail on command.
  StagedFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  StagedFile(StagedFile&& other) noexcept = default;
  StagedFile& operator=(StagedFile&& other) = delete;
  ~StagedFile() { Discard(); }

  // Appends all of `bytes`. Fails: kStorageFull, kInternal.
  Status Append(std::span<const std::byte> bytes);
  // Opens the written bytes for reading only. Fails: kInternal.
  Result<UniqueFd> OpenForReading() const;
  // Notes size and age, and waits until the bytes are on the disk. Fails: kStorageFull, kInternal.
  Status Sync(std::uint64_t size);
  // Renames the file, which is no longer temporary then. Fails: kStorageFull, kInternal.
  Status MoveTo(const std::string& path);
  // Unlinks the file: it can still be written and read, can never be moved into place, and is freed
  // when it is closed.
  void Unlink();
  // Whether the file still has a name: another process may have removed it.
  bool IsLinked() const;
  // Call after Append failed: the next Append starts at the same offset.
  void Rewind();
  // Whether there is still a temporary file.
  bool pending() const { return !path_.empty(); }
  // Removes the file. Harmless when it is gone or was moved.
  void Discard();

  // Removes files in `folder` that no writer of this or another process has locked; not those that
  // are being removed (blob_files.h).
  static void RemoveLeftovers(const std::string& folder);

 private:
  UniqueFd fd_;
  std::string path_;  // "" once moved or discarded
  std::uint64_t written_ = 0;
  std::uint64_t flushed_ = 0;  // offset up to which write-back was started
};

}  // namespace koya
