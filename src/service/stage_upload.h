// An upload on its way into the blob store: in constant memory, hashed, and bounded.
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

struct UploadBound {
  std::uint64_t bytes = 0;
  std::string what;    // "the archive"
  std::string advice;  // what to do when it is larger
  LimitName limit{};   // what the bound is called
};

// Fails: kTooLarge over the bound, kStorageFull, and what `upload` fails with.
Task<StagedBlob> StageUpload(BlobStore& blobs, ByteSource& upload, UploadBound bound);

}  // namespace koya::service
