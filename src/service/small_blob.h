// Texts that are kept as blobs: SHA256SUMS, signatures, manifests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/task.h"

namespace koya {
class Blob;
class BlobStore;
class Digest;
struct ReleaseDocument;
}  // namespace koya

namespace koya::service {

// Stores `text` durably, or mends what is stored of it.
Task<ReleaseDocument> StoreText(BlobStore& blobs, std::string text);

// Blobs up to this size are small: they are read and kept whole.
inline constexpr std::uint64_t kSmallBlobBytes = 64 * 1024;

// A text that is in memory, as a blob.
std::shared_ptr<Blob> BlobOfText(std::string text);

// All bytes of a blob that fits into memory, whatever they are. `blob` outlives this.
Task<std::string> ReadBytes(Blob& blob);

// All bytes of a small blob. `blob` outlives this. Fails: as the blob; kCorrupt when they are not
// those of `digest`.
Task<std::string> ReadWhole(Blob& blob, Digest digest);

// REQUIRES: `document` is small. Fails: kNotFound; kCorrupt when it is not what its name says.
Task<std::string> ReadText(BlobStore& blobs, ReleaseDocument document);

}  // namespace koya::service
