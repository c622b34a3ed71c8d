#include "blobs/s3/s3_blob_writer.h"

#include "blobs/s3/s3_blob_store.h"

namespace koya {

Result<BlobInfo> S3BlobWriter::Finish() {
  ASSIGN_OR_RETURN(BlobInfo info, staged_->Finish());
  info_ = info;
  return info;
}

Task<void> S3BlobWriter::Commit() {
  if (!info_) {
    co_return Fail(ErrorKind::kInternal, "the server could not store the upload; see its log",
                   "a blob was committed before it was finished");
  }
  co_return co_await store_.Commit(*staged_, *info_);
}

}  // namespace koya
