// Bytes on their way into a blob store: written, hashed, and not yet part of it.
#pragma once

#include <memory>
#include <string_view>

#include "blobs/blob_store.h"

namespace koya {

// Bytes that nobody can read yet; gone unless the writer commits.
struct StagedBlob {
  std::unique_ptr<BlobWriter> writer;
  BlobInfo info;
};

// A small text. Blocks. Fails: kStorageFull, kInternal.
Result<StagedBlob> StageText(BlobStore& blobs, std::string_view text);

}  // namespace koya
