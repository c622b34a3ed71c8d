// A ByteSource that reads a blob chunk by chunk: for blobs that are not files on this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/byte_source.h"

namespace koya {

class Blob;

class BlobSource final : public ByteSource {
 public:
  explicit BlobSource(std::shared_ptr<Blob> blob) : blob_(std::move(blob)) {}

  // Fails: as the blob; kCorrupt when the blob ends before its size.
  Task<std::span<const std::byte>> Read() override;

 private:
  static constexpr std::size_t kPiece = 256 * 1024;

  std::shared_ptr<Blob> blob_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kPiece);
};

}  // namespace koya
