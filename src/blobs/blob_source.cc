#include "blobs/blob_source.h"

#include "blobs/blob_store.h"

namespace koya {

Task<std::span<const std::byte>> BlobSource::Read() {
  ASSIGN_OR_CO_RETURN(std::size_t got, co_await blob_->ReadAt(offset_, buffer_));
  offset_ += got;
  if (got == 0 && offset_ != blob_->size()) {
    co_return Fail(ErrorKind::kCorrupt, "the stored archive is shorter than it should be");
  }
  co_return std::span<const std::byte>(buffer_).first(got);
}

}  // namespace koya
