#include "service/mirror/package_arrival.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/file_io.h"
#include "blobs/fill.h"

namespace koya::service {
namespace {

// Readers are woken once for this many new bytes.
constexpr std::size_t kPiece = 256 * 1024;

}  // namespace

Status PackageArrival::Contradict() {
  contradicted_ = true;
  return FailUnavailable("two sources of the archive sent different bytes; try again");
}

Status PackageArrival::Begin(std::uint64_t offset, std::optional<std::uint64_t> length) {
  position_ = offset;
  if (writer_) {
    bool differs = length && length_ && *length != *length_;
    if (differs || (length && *length < size())) return Contradict();
    return {};
  }
  RETURN_IF_ERROR(room_.Check(length.value_or(0)));
  ASSIGN_OR_RETURN(writer_, blobs_.Create());
  length_ = length;
  fill_.Start({digest_, writer_, writer_->staged_file(), length});
  return {};
}

Status PackageArrival::Compare(std::span<const std::byte> bytes) {
  std::vector<std::byte> held(bytes.size());
  for (std::size_t at = 0; at < held.size();) {
    auto got = ReadSome(writer_->staged_file(), std::span(held).subspan(at), position_ + at);
    if (!got) return Failure(ErrnoError("read the received bytes", got.error()));
    if (*got == 0) return Contradict();
    at += *got;
  }
  if (!std::ranges::equal(held, bytes)) return Contradict();
  position_ += bytes.size();
  return {};
}

Status PackageArrival::AcceptBytes(std::span<const std::byte> bytes) {
  if (position_ < size()) {
    std::size_t known = std::min<std::uint64_t>(bytes.size(), size() - position_);
    RETURN_IF_ERROR(Compare(bytes.first(known)));
    bytes = bytes.subspan(known);
    if (bytes.empty()) return {};
  }
  RETURN_IF_ERROR(free_room_.Add(bytes.size()));
  RETURN_IF_ERROR(writer_->Write(bytes));
  position_ += bytes.size();
  // Readers get the first bytes at once, so that a client's progress bar moves.
  if (told_ == 0 || size() - told_ >= kPiece) PublishBytes();
  return {};
}

void PackageArrival::PublishBytes() {
  if (!writer_) return;
  told_ = size();
  fill_.Grow(told_);
}

Result<BlobInfo> PackageArrival::Finish() {
  PublishBytes();
  finished_ = true;
  ASSIGN_OR_RETURN(BlobInfo info, writer_->Finish());
  if (info.digest == digest_) fill_.Succeed();
  return info;
}

}  // namespace koya::service
