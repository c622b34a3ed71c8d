// The files of a folder of blobs (blob_layout.h), as both of its stores find them. Everything
// blocks. Threads: any.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "blobs/blob_store.h"
#include "blobs/fs/blob_layout.h"

namespace koya {

// One that is there already is a success. Fails: kStorageFull, kInternal.
Status MakeFolder(const std::string& path);
// Waits until the folder's names are on the disk. Fails: kStorageFull, kInternal.
Status SyncFolder(const std::string& path);

// The size that was committed, where the file system could keep it.
std::optional<std::uint64_t> CommittedSize(int fd);

struct CommittedFile {
  UniqueFd fd;  // for reading
  struct stat status{};

  std::uint64_t size() const { return static_cast<std::uint64_t>(status.st_size); }
};

// Fails: kNotFound; kCorrupt when the size is not what was committed; kUnavailable without
// descriptors; kInternal.
Result<CommittedFile> OpenCommitted(const BlobLayout& layout, const Digest& digest);

// What the wall clock says, and a file's times in the same form.
std::chrono::nanoseconds WallTime();
std::chrono::nanoseconds SinceEpoch(const timespec& time);

// As BlobStore::List.
std::vector<BlobInfo> ListCommitted(const BlobLayout& layout, std::optional<Digest> after,
                                    std::size_t limit);

}  // namespace koya
