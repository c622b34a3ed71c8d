#include "service/common/blob_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/clock.h"
#include "base/offload.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"
#include "domain/provider_record.h"

namespace koya::service {
namespace {

class TextBlob final : public Blob {
 public:
  explicit TextBlob(std::string text) : text_(std::move(text)) {}
  std::uint64_t size() const override { return text_.size(); }
  std::optional<int> file_descriptor() const override { return std::nullopt; }
  Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset >= text_.size()) co_return std::size_t{0};
    auto rest = std::as_bytes(std::span(text_)).subspan(offset);
    rest = rest.first(std::min(rest.size(), into.size()));
    std::ranges::copy(rest, into.begin());
    co_return rest.size();
  }

 private:
  const std::string text_;
};

}  // namespace

std::shared_ptr<Blob> BlobOfText(std::string text) {
  return std::make_shared<TextBlob>(std::move(text));
}

Task<ReleaseDocument> StoreText(BlobStore& blobs, std::string text) {
  auto stage = [&blobs, &text] { return StageText(blobs, text); };
  ASSIGN_OR_CO_RETURN(StagedBlob staged, co_await Offload(blobs.workers(), std::move(stage)));
  CO_RETURN_IF_ERROR(co_await staged.writer->Commit());
  co_return ReleaseDocument{staged.info.digest, staged.info.size};
}

Task<std::string> ReadBytes(Blob& blob) {
  std::string text(blob.size(), '\0');
  std::span<std::byte> bytes = std::as_writable_bytes(std::span(text));
  for (std::size_t done = 0; done < text.size();) {
    ASSIGN_OR_CO_RETURN(std::size_t got, co_await blob.ReadAt(done, bytes.subspan(done)));
    if (got == 0) break;
    done += got;
  }
  co_return text;
}

Task<std::string> ReadWhole(Blob& blob, Digest digest) {
  ASSIGN_OR_CO_RETURN(std::string text, co_await ReadBytes(blob));
  if (Digest::Of(text) == digest) co_return text;
  co_return FailCorrupt(
      "the bytes stored under {} are damaged: \"koya verify\" shows where "
      "they belong, and how to repair it",
      digest.ToString());
}

Task<std::string> ReadText(BlobStore& blobs, ReleaseDocument document) {
  ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await blobs.Open(document.digest));
  co_return co_await ReadWhole(*blob, document.digest);
}

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
