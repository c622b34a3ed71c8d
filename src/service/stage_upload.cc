#include "service/stage_upload.h"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace koya::service {
namespace {

// Small pieces are gathered to this size before a worker hashes and writes them: a hop to a worker
// costs as much as hashing several kilobytes.
constexpr std::size_t kBatch = 256 * 1024;

// The worker's side of an upload. Every method blocks.
class Stager {
 public:
  explicit Stager(BlobStore& blobs) : blobs_(blobs) {}

  // Writes what was gathered, then `bytes` from where they lie.
  Status Write(std::vector<std::byte>& gathered, std::span<const std::byte> bytes) {
    if (!writer_) {
      ASSIGN_OR_RETURN(writer_, blobs_.Create());
    }
    RETURN_IF_ERROR(writer_->Write(gathered));
    gathered.clear();
    return writer_->Write(bytes);
  }

  Result<StagedBlob> Finish(std::vector<std::byte>& gathered) {
    RETURN_IF_ERROR(Write(gathered, {}));
    ASSIGN_OR_RETURN(BlobInfo info, writer_->Finish());
    return StagedBlob{std::move(writer_), info};
  }

 private:
  BlobStore& blobs_;
  std::unique_ptr<BlobWriter> writer_;
};

}  // namespace

Task<StagedBlob> StageUpload(BlobStore& blobs, ByteSource& upload, UploadBound bound) {
  Stager stager(blobs);
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
    auto write = [&stager, &gathered, bytes] { return stager.Write(gathered, bytes); };
    CO_RETURN_IF_ERROR(co_await Offload(blobs.workers(), std::move(write)));
  }
  auto finish = [&stager, &gathered] { return stager.Finish(gathered); };
  co_return co_await Offload(blobs.workers(), std::move(finish));
}

}  // namespace koya::service
