// File operations on a blob folder (blob_layout.h), shared by FsBlobStore and FsCache. Everything
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

// Succeeds when the folder exists already. Fails: kStorageFull, kInternal.
Status MakeFolder(const std::string& path);
// Waits until the folder's entries are durable. Fails: kStorageFull, kInternal.
Status SyncFolder(const std::string& path);

// The committed size, where the file system could store it.
std::optional<std::uint64_t> CommittedSize(int fd);

struct CommittedFile {
  UniqueFd fd;  // for reading
  struct stat status{};

  std::uint64_t size() const { return static_cast<std::uint64_t>(status.st_size); }
};

// Fails: kNotFound; kCorrupt when the size differs from the committed size; kUnavailable without
// descriptors; kInternal.
Result<CommittedFile> OpenCommitted(const BlobLayout& layout, const Digest& digest);

// The wall-clock time, and a file's times in the same form.
std::chrono::nanoseconds WallTime();
std::chrono::nanoseconds SinceEpoch(const timespec& time);

// As BlobStore::List.
std::vector<BlobInfo> ListCommitted(const BlobLayout& layout, std::optional<Digest> after,
                                    std::size_t limit);

}  // namespace koya
