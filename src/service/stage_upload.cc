#include "service/stage_upload.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "base/clock.h"

namespace koya::service {

Task<StagedUpload> StageUpload(BlobStore& blobs, ByteSource& upload, UploadBound bound) {
  ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> writer, co_await blobs.Create());
  while (true) {
    ASSIGN_OR_CO_RETURN(std::span<const std::byte> bytes, co_await upload.Read());
    if (bytes.empty()) break;
    if (writer->size() + bytes.size() > bound.bytes) {
      co_return FailLimit(ErrorKind::kTooLarge, bound.limit,
                          fmt::format("{} is larger than {}, the limit here: {}", bound.what,
                                      FormatSize(bound.bytes), bound.advice));
    }
    CO_RETURN_IF_ERROR(co_await writer->Write(bytes));
  }
  ASSIGN_OR_CO_RETURN(BlobInfo info, co_await writer->Finish());
  co_return StagedUpload{std::move(writer), info};
}

}  // namespace koya::service
