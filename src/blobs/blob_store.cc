#include "blobs/blob_store.h"

#include <span>

namespace koya {

Result<StagedBlob> StageText(BlobStore& blobs, std::string_view text) {
  ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> writer, blobs.Create());
  RETURN_IF_ERROR(writer->Write(std::as_bytes(std::span(text))));
  ASSIGN_OR_RETURN(BlobInfo info, writer->Finish());
  return StagedBlob{std::move(writer), info};
}

Task<std::span<const std::byte>> BlobSource::Read() {
  ASSIGN_OR_CO_RETURN(std::size_t got, co_await blob_->ReadAt(offset_, buffer_));
  offset_ += got;
  if (got == 0 && offset_ != blob_->size()) {
    co_return FailCorrupt("the stored archive is shorter than it should be");
  }
  co_return std::span<const std::byte>(buffer_).first(got);
}

}  // namespace koya
