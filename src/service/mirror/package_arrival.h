// Writes the bytes of one arriving package into a fill, from one source after another, each
// continuing where the previous one ended.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "blobs/blob_store.h"
#include "service/mirror/mirror_space.h"
#include "wire/providers.h"

namespace koya {
class Fill;
struct UpstreamPackage;
struct UpstreamRelease;
}  // namespace koya

namespace koya::service {

// One thread at a time; blocks for the disk. All arguments outlive this.
class PackageArrival {
 public:
  PackageArrival(BlobStore& blobs, const DiskQuota& room, const Digest& digest, Fill& fill)
      : blobs_(blobs), room_(room), free_room_(room), digest_(digest), fill_(fill) {}

  // A source is about to send from `offset` on: size(), or 0, and then bytes that are here already
  // are compared. `length`: of the whole package, if the source says it. Fails: kStorageFull;
  // kUnavailable when the source contradicts the bytes that are here (contradicted()).
  Status Begin(std::uint64_t offset, std::optional<std::uint64_t> length);
  // The source's next bytes. Fails: as Begin.
  Status AcceptBytes(std::span<const std::byte> bytes);
  // Makes all bytes that have arrived readable. Call it when a source has ended, for whatever
  // reason.
  void PublishBytes();
  // All bytes have arrived. If they are the right ones, readers get the last of them. Returns their
  // digest and size. Fails: kStorageFull.
  Result<BlobInfo> Finish();

  std::uint64_t size() const { return writer_ ? writer_->size() : 0; }
  bool contradicted() const { return contradicted_; }
  // True if another source may continue: the bytes were neither verified nor contradicted yet.
  bool open() const { return !finished_ && !contradicted_; }
  const Digest& digest() const { return digest_; }
  Fill& fill() { return fill_; }
  // REQUIRES: a source has begun.
  BlobWriter& writer() { return *writer_; }

 private:
  Status Compare(std::span<const std::byte> bytes);
  Status Contradict();

  BlobStore& blobs_;
  const DiskQuota& room_;
  DiskReservation free_room_;
  const Digest digest_;
  Fill& fill_;
  std::shared_ptr<BlobWriter> writer_;
  std::optional<std::uint64_t> length_;
  std::uint64_t position_ = 0;  // offset of the source's next byte
  std::uint64_t told_ = 0;      // bytes that readers know of
  bool contradicted_ = false;
  bool finished_ = false;
};

// A package that is being fetched, and the release that it belongs to.
struct ArrivingPackage {
  const UpstreamRelease& release;
  const UpstreamPackage& package;
  PackageArrival bytes;
  // In upstream's description, if it was fetched for this.
  std::vector<wire::ForeignAttachment> attachments = {};
};

}  // namespace koya::service
