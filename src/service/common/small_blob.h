// Stores and reads texts as blobs: SHA256SUMS, signatures, manifests.
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

// Stores `text` durably, and repairs a damaged stored copy.
Task<ReleaseDocument> StoreText(BlobStore& blobs, std::string text);

// Blobs up to this size are small: they fit in memory as a whole.
inline constexpr std::uint64_t kSmallBlobBytes = 64 * 1024;

// A text in memory as a blob.
std::shared_ptr<Blob> BlobOfText(std::string text);

// Reads all bytes of a blob that fits in memory, without verifying them. `blob` outlives the call.
Task<std::string> ReadBytes(Blob& blob);

// Reads and verifies all bytes of a small blob. `blob` outlives the call. Fails: as the blob;
// kCorrupt when they do not match `digest`.
Task<std::string> ReadWhole(Blob& blob, Digest digest);

// REQUIRES: `document` is small. Fails: kNotFound; kCorrupt when its bytes do not match its digest.
Task<std::string> ReadText(BlobStore& blobs, ReleaseDocument document);

}  // namespace koya::service
