// Stores and reads texts as blobs (SHA256SUMS, signatures, manifests), stages uploads, and opens
// blobs as local files for readers that seek.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/task.h"
#include "blobs/blob_store.h"

namespace koya {
class ByteSource;
struct ReleaseDocument;
class WorkerPool;
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

struct LocalBlob {
  std::shared_ptr<Blob> blob;
  std::unique_ptr<BlobWriter> copy;  // of a blob that is not a local file; never committed
  int descriptor = -1;               // readable while this object exists
  std::uint64_t size = 0;
};

// Waits for a blob that is still arriving, and copies one that is stored remotely. `pool` runs the
// blocking disk access. Fails: as BlobStore::Open and Blob::ReadAt; kStorageFull.
Task<LocalBlob> OpenLocalBlob(BlobStore& blobs, WorkerPool& pool, Digest digest);

struct UploadLimit {
  std::uint64_t bytes = 0;
  std::string what;    // "the archive"
  std::string advice;  // how to proceed when it is larger
  LimitName limit{};   // name of the limit
};

// Stages an upload in the blob store: in constant memory, hashed, and limited in size. Fails:
// kTooLarge over the limit, kStorageFull, and the errors of `upload`.
Task<StagedBlob> StageUpload(BlobStore& blobs, ByteSource& upload, UploadLimit bound);

}  // namespace koya::service
