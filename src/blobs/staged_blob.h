// A staged blob: bytes that are written and hashed, but not yet part of a blob store.
#pragma once

#include <memory>
#include <string_view>

#include "blobs/blob_store.h"

namespace koya {

// Readable by no client yet; removed unless the writer commits.
struct StagedBlob {
  std::unique_ptr<BlobWriter> writer;
  BlobInfo info;
};

// Stages a small text. Blocks. Fails: kStorageFull, kInternal.
Result<StagedBlob> StageText(BlobStore& blobs, std::string_view text);

}  // namespace koya
