// The bytes of a blob that is not a file on this machine, read while they are sent.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "blobs/blob_store.h"
#include "http/message.h"

namespace koya::api {

class BlobBody final : public http::BodySource {
 public:
  explicit BlobBody(std::shared_ptr<Blob> blob) : blob_(std::move(blob)) {}

  // Fails: as the blob; kCorrupt when it ends before its size.
  Task<std::span<const std::byte>> Next() override;

 private:
  static constexpr std::size_t kPiece = 256 * 1024;

  std::shared_ptr<Blob> blob_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kPiece);
};

}  // namespace koya::api
