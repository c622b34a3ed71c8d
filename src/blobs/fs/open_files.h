// A cache of open files of an FsBlobStore or FsCache, so that a warm download needs no open().
//
// One descriptor a blob, regardless of how many names refer to it. Holds at most `most`
// descriptors, and gives some back when the process runs out: open files are only a convenience. A
// holder of a blob keeps its file open; this cache matters only for blobs without a holder.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "blobs/fs/fs_blob.h"
#include "domain/digest.h"

namespace koya {

class OpenFiles {
 public:
  explicit OpenFiles(std::size_t most) : most_(most) {}

  // Taken before a file is opened and passed to AddOpened: if a file was evicted since, it may be
  // this one.
  struct Ticket {
    std::uint64_t forgotten = 0;
  };
  Ticket TakeTicket() const;

  // Returns the blob to use: the one already open for the same file, if any.
  std::shared_ptr<Blob> AddOpened(Ticket ticket, const Digest& digest,
                                  std::shared_ptr<FsBlob> opened);
  // Call when the file was removed or replaced: its descriptor must not keep disk space from being
  // freed.
  void Evict(const Digest& digest);

  // Closes half of the cached files, the least recently used first. Returns whether that freed a
  // descriptor.
  bool GiveWay();
  // Calls `open`, which returns a Result, and retries once when it failed for lack of descriptors
  // and some could be freed.
  template <class Open>
  auto WithDescriptors(Open open) -> decltype(open()) {
    auto outcome = open();
    if (outcome || outcome.error().kind != ErrorKind::kUnavailable || !GiveWay()) return outcome;
    return open();
  }
  // Closes files that were not used for `idle`, and files that another process removed. Blocks on
  // some file systems.
  void Tidy(std::chrono::seconds idle);

  std::size_t count() const;

 private:
  using Files = std::map<Digest, std::shared_ptr<FsBlob>>;
  // Removes the least recently used files, for the caller to close without the lock. REQUIRES: the
  // lock is held.
  std::vector<std::shared_ptr<FsBlob>> TakeOldest(std::size_t count);

  const std::size_t most_;
  mutable std::mutex mutex_;
  Files files_;
  std::uint64_t forgotten_ = 0;
};

}  // namespace koya
