#include "service/common/local_blob.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/offload.h"
#include "blobs/fill.h"

namespace koya::service {
namespace {

Task<void> CopyBlob(Blob& blob, BlobWriter& copy, WorkerPool& pool) {
  constexpr std::size_t kPieceBytes = 256U << 10;
  std::vector<std::byte> piece(std::min<std::uint64_t>(kPieceBytes, blob.size()));
  for (std::uint64_t at = 0; at < blob.size();) {
    ASSIGN_OR_CO_RETURN(std::size_t got, co_await blob.ReadAt(at, piece));
    if (got == 0) break;
    auto write = [&copy, bytes = std::span(piece).first(got)] { return copy.Write(bytes); };
    CO_RETURN_IF_ERROR(co_await Offload(pool, write));
    at += got;
  }
  co_return Status();
}

}  // namespace

Task<LocalBlob> OpenLocalBlob(BlobStore& blobs, WorkerPool& pool, Digest digest) {
  LocalBlob local;
  ASSIGN_OR_CO_RETURN(local.blob, co_await blobs.Open(digest));
  CO_RETURN_IF_ERROR(co_await WaitUntilWhole(local.blob));
  local.size = local.blob->size();
  if (std::optional<int> descriptor = local.blob->file_descriptor()) {
    local.descriptor = *descriptor;
    co_return local;
  }
  auto create = [&blobs] { return blobs.Create(); };
  ASSIGN_OR_CO_RETURN(local.copy, co_await Offload(pool, create));
  CO_RETURN_IF_ERROR(co_await CopyBlob(*local.blob, *local.copy, pool));
  local.descriptor = local.copy->staged_file();
  co_return local;
}

}  // namespace koya::service
