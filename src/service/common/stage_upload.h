// Stages an upload in the blob store: in constant memory, hashed, and limited in size.
#pragma once

#include <cstdint>
#include <string>

#include "base/task.h"

namespace koya {
class BlobStore;
class ByteSource;
struct StagedBlob;
}  // namespace koya

namespace koya::service {

struct UploadLimit {
  std::uint64_t bytes = 0;
  std::string what;    // "the archive"
  std::string advice;  // how to proceed when it is larger
  LimitName limit{};   // name of the limit
};

// Fails: kTooLarge over the limit, kStorageFull, and the errors of `upload`.
Task<StagedBlob> StageUpload(BlobStore& blobs, ByteSource& upload, UploadLimit bound);

}  // namespace koya::service
