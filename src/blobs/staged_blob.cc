#include "blobs/staged_blob.h"

#include <span>

namespace koya {

Result<StagedBlob> StageText(BlobStore& blobs, std::string_view text) {
  ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> writer, blobs.Create());
  RETURN_IF_ERROR(writer->Write(std::as_bytes(std::span(text))));
  ASSIGN_OR_RETURN(BlobInfo info, writer->Finish());
  return StagedBlob{std::move(writer), info};
}

Task<BlobInfo> StoreText(BlobStore& blobs, std::string text) {
  auto stage = [&blobs, &text] { return StageText(blobs, text); };
  ASSIGN_OR_CO_RETURN(StagedBlob staged, co_await Offload(blobs.workers(), std::move(stage)));
  CO_RETURN_IF_ERROR(co_await staged.writer->Commit());
  co_return staged.info;
}

}  // namespace koya
