#include "blobs/staged_blob.h"

#include <span>

namespace koya {

Result<StagedBlob> StageText(BlobStore& blobs, std::string_view text) {
  ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> writer, blobs.Create());
  RETURN_IF_ERROR(writer->Write(std::as_bytes(std::span(text))));
  ASSIGN_OR_RETURN(BlobInfo info, writer->Finish());
  return StagedBlob{std::move(writer), info};
}

}  // namespace koya
