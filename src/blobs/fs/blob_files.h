// The layout of a blob folder, and file operations on it, shared by FsBlobStore and FsCache.
// Everything blocks. Threads: any.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "blobs/blob_store.h"
#include "domain/digest.h"

namespace koya {

// Layout of a file-system blob store:
//
//   <root>/                 0750
//     sha256/               committed blobs, never written to again
//       ab/                 the first two hex digits of the digest
//         cdef…             the other 62; 0640; mtime = when it was last committed;
//                           attribute user.koya.size = the size that was committed
//     tmp/                  blobs being written
//       <random>            locked (flock) by its writer; an unlocked one is a leftover
//       leaving-<64>-<random>  a blob that is being removed
//
// docs/storage-layout.md shows the same tree to operators.
class BlobLayout {
 public:
  static constexpr std::size_t kFolders = 256;
  static constexpr const char* kSizeAttribute = "user.koya.size";
  static constexpr std::string_view kLeaving = "leaving-";

  explicit BlobLayout(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string TempFolder() const { return root_ + "/tmp"; }
  std::string BlobsFolder() const { return root_ + "/sha256"; }
  std::string FolderOf(const Digest& digest) const {
    return BlobsFolder() + "/" + digest.hex().substr(0, 2);
  }
  std::string PathOf(const Digest& digest) const {
    return FolderOf(digest) + "/" + digest.hex().substr(2);
  }
  // A new path on each call: two removers of one blob never mistake each other's file for their
  // own.
  std::string LeavingPathOf(const Digest& digest) const {
    return TempFolder() + "/" + std::string(kLeaving) + digest.hex() + "-" + RandomName();
  }
  // 32 hex digits.
  static std::string RandomName();
  // Index of the folder among the 256; locks are per folder.
  static std::size_t FolderIndex(const Digest& digest) {
    return static_cast<std::size_t>(digest.bytes()[0]);
  }

 private:
  std::string root_;
};

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

// ---- removal of a blob's file, safely against concurrent commits of the same bytes, by this
// process or another one on the same folder
//
// A remover checks the file's age, moves the file into tmp/ under a name that contains its digest,
// checks again, and only then removes it; a file that was renewed in between is linked back. A
// commit that finds the bytes renews their age first, then checks that they still have their name.
// So each side sees the other, whichever comes first, and no lock is needed. A remover that dies in
// between leaves a file that RestoreFiles restores.

// Points at which another process may overtake a removal or a commit; test hooks.
enum class FsStep {
  kFoundOld,    // the remover saw an old file
  kMovedAway,   // … and moved it into tmp/
  kFoundWhole,  // the commit saw the bytes that it brings
};
using FsWatch = std::function<void(FsStep)>;

// Restarts the age of an open blob. Returns whether `path` still names it.
bool Renew(const UniqueFd& blob, const std::string& path, const FsWatch& watch);

// Whether RemoveIfOld would remove the digest's file. A file whose state cannot be read is not old.
bool IsOld(const BlobLayout& layout, const Digest& digest, std::chrono::seconds age);

// Removes the digest's file if it is older than `age`; returns whether it was removed. A file from
// the future was written while a clock was ahead: its age starts now. Fails: kStorageFull,
// kInternal.
Result<bool> RemoveIfOld(const BlobLayout& layout, const Digest& digest, std::chrono::seconds age,
                         const FsWatch& watch);

// Restores files that dead removers left in tmp/. A remover that is running loses its file, and
// removes it another time.
void RestoreFiles(const BlobLayout& layout);

}  // namespace koya
