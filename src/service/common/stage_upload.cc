#include "service/common/stage_upload.h"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/clock.h"
#include "base/offload.h"
#include "blobs/blob_store.h"

namespace koya::service {
namespace {

// Small pieces are gathered to this size before a worker hashes and writes them: a hop to a worker
// costs as much as hashing several kilobytes.
constexpr std::size_t kBatch = 256 * 1024;

// Writes the gathered bytes, then `bytes` without copying them. Blocks.
Status WriteGathered(BlobWriter& writer, std::vector<std::byte>& gathered,
                     std::span<const std::byte> bytes) {
  RETURN_IF_ERROR(writer.Write(gathered));
  gathered.clear();
  return writer.Write(bytes);
}

}  // namespace

Task<StagedBlob> StageUpload(BlobStore& blobs, ByteSource& upload, UploadLimit bound) {
  auto create = [&blobs] { return blobs.Create(); };
  ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> writer,
                      co_await Offload(blobs.workers(), std::move(create)));
  std::vector<std::byte> gathered;  // below kBatch
  std::uint64_t size = 0;
  while (true) {
    ASSIGN_OR_CO_RETURN(std::span<const std::byte> bytes, co_await upload.Read());
    if (bytes.empty()) break;
    size += bytes.size();
    if (size > bound.bytes) {
      co_return FailLimit(ErrorKind::kTooLarge, bound.limit,
                          fmt::format("{} is larger than {}, the limit here: {}", bound.what,
                                      FormatSize(bound.bytes), bound.advice));
    }
    if (gathered.size() + bytes.size() < kBatch) {
      gathered.insert(gathered.end(), bytes.begin(), bytes.end());
      continue;
    }
    auto write = [&writer, &gathered, bytes] { return WriteGathered(*writer, gathered, bytes); };
    CO_RETURN_IF_ERROR(co_await Offload(blobs.workers(), std::move(write)));
  }
  auto finish = [&writer, &gathered]() -> Result<BlobInfo> {
    RETURN_IF_ERROR(WriteGathered(*writer, gathered, {}));
    return writer->Finish();
  };
  ASSIGN_OR_CO_RETURN(BlobInfo info, co_await Offload(blobs.workers(), std::move(finish)));
  co_return StagedBlob{std::move(writer), info};
}

}  // namespace koya::service
