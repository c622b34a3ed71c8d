#include "service/small_blob.h"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>

#include "blobs/blob_source.h"
#include "blobs/staged_blob.h"

namespace koya::service {

Task<ReleaseDocument> StoreText(BlobStore& blobs, std::string text) {
  auto stage = [&blobs, &text] { return StageText(blobs, text); };
  ASSIGN_OR_CO_RETURN(StagedBlob staged, co_await Offload(blobs.workers(), std::move(stage)));
  CO_RETURN_IF_ERROR(co_await staged.writer->Commit());
  co_return ReleaseDocument{staged.info.digest, staged.info.size};
}

Task<std::string> ReadText(BlobStore& blobs, ReleaseDocument document) {
  ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await blobs.Open(document.digest));
  BlobSource source(std::move(blob));
  std::string text;
  while (true) {
    ASSIGN_OR_CO_RETURN(std::span<const std::byte> bytes, co_await source.Read());
    if (bytes.empty()) break;
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (Digest::Of(text) == document.digest) co_return text;
  co_return Fail(
      ErrorKind::kCorrupt,
      fmt::format("the bytes stored under {} are damaged: \"koya verify\" says what they "
                  "belong to, and how it is mended",
                  document.digest.ToString()));
}

}  // namespace koya::service
