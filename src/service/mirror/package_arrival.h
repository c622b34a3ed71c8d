// The bytes of one package on their way into a fill: from one source after the other, each going on
// where the one before ended.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "blobs/blob_store.h"
#include "service/mirror/disk_room.h"

namespace koya {
class Fill;
}

namespace koya::service {

// One thread at a time; blocks for the disk. What is given outlives this.
class PackageArrival {
 public:
  PackageArrival(BlobStore& blobs, const DiskRoom& room, const Digest& digest, Fill& fill)
      : blobs_(blobs), room_(room), free_room_(room), digest_(digest), fill_(fill) {}

  // A source is about to send, from `offset` on: from size(), or from the beginning, and then what
  // is here already is compared. `length`: of the whole, if it says so. Fails: kStorageFull;
  // kUnavailable when it contradicts what is here (contradicted()).
  Status Begin(std::uint64_t offset, std::optional<std::uint64_t> length);
  // What comes next. Fails: as Begin.
  Status Take(std::span<const std::byte> bytes);
  // The source has ended, in whatever way: readers get what has come.
  void Tell();
  // All bytes are here. When they are the right ones, readers get the last of them. Returns what
  // they are. Fails: kStorageFull.
  Result<BlobInfo> Finish();

  std::uint64_t size() const { return writer_ ? writer_->size() : 0; }
  bool contradicted() const { return contradicted_; }
  // Whether another source may go on: what is here was neither judged nor contradicted.
  bool open() const { return !finished_ && !contradicted_; }
  const Digest& digest() const { return digest_; }
  Fill& fill() { return fill_; }
  // REQUIRES: a source has begun.
  BlobWriter& writer() { return *writer_; }

 private:
  Status Compare(std::span<const std::byte> bytes);
  Status Contradict();

  BlobStore& blobs_;
  const DiskRoom& room_;
  ArrivalRoom free_room_;
  const Digest digest_;
  Fill& fill_;
  std::shared_ptr<BlobWriter> writer_;
  std::optional<std::uint64_t> length_;
  std::uint64_t position_ = 0;  // of the source's next byte
  std::uint64_t told_ = 0;      // how many bytes the readers know of
  bool contradicted_ = false;
  bool finished_ = false;
};

}  // namespace koya::service
