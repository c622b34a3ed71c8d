// The files of an FsBlobStore that stay open, so that a warm download needs no open().
//
// One descriptor a blob, under however many names it is asked for. There are never more than
// `most`, and whoever runs out of descriptors takes from here: what is kept open is a convenience.
// Whoever holds a blob keeps its file open; this only holds on to those that nobody does.
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

  // What is opened must be kept with a ticket taken before: if a file was forgotten since, it may
  // be this one.
  struct Ticket {
    std::uint64_t forgotten = 0;
  };
  Ticket TakeTicket() const;

  // Returns the blob to use: where the same file is open already, that one.
  std::shared_ptr<Blob> Keep(Ticket ticket, const Digest& digest, std::shared_ptr<FsBlob> opened);
  // The file was removed or replaced: its descriptor must not keep the disk from being freed.
  void Forget(const Digest& digest);

  // Closes half of what is kept, the least recently used first. Returns whether that gave any
  // descriptor back.
  bool GiveWay();
  // Calls `open`, which yields a Result, and once more when it failed for want of descriptors and
  // some could be given back.
  template <class Open>
  auto WithDescriptors(Open open) -> decltype(open()) {
    auto outcome = open();
    if (outcome || outcome.error().kind != ErrorKind::kUnavailable || !GiveWay()) return outcome;
    return open();
  }
  // Closes what nobody used for `idle`, and what another process removed. Blocks, on some file
  // systems.
  void Tidy(std::chrono::seconds idle);

  std::size_t count() const;

 private:
  using Files = std::map<Digest, std::shared_ptr<FsBlob>>;
  // Takes the least recently used out, to be closed without the lock. REQUIRES: the lock is held.
  std::vector<std::shared_ptr<FsBlob>> TakeOldest(std::size_t count);

  const std::size_t most_;
  mutable std::mutex mutex_;
  Files files_;
  std::uint64_t forgotten_ = 0;
};

}  // namespace koya
