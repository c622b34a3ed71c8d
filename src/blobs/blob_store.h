// Content-addressed storage: immutable byte sequences named by their SHA-256.
//
// A blob is written to a place nobody can read, and appears under its digest all at once when it
// is committed (data first, record last). Blobs are shared: committing bytes that are stored
// already is a success. Nothing here knows what the bytes mean.
//
// Threads: a store may be used from any number of coroutines on any threads; a writer or a reader
// belongs to one coroutine at a time. Blocking work happens on the store's own worker pool.
// Every backend passes the suite in blob_store_suite.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/task.h"
#include "domain/digest.h"

namespace koya {

struct BlobInfo {
  Digest digest;
  std::uint64_t size = 0;
};

// An open blob. It stays readable while this exists, even when the blob is removed meanwhile.
class Blob {
 public:
  virtual ~Blob() = default;
  virtual std::uint64_t size() const = 0;
  // A descriptor for sendfile and pread, owned by the blob; nullopt when the bytes are not a file.
  virtual std::optional<int> file_descriptor() const = 0;
  // Reads up to `into.size()` bytes at `offset`; 0 at the end. Fails: kUnavailable, kCorrupt.
  virtual Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) = 0;
};

// A blob being written. Destroying an uncommitted writer removes what was written.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;
  // Appends. The bytes may be reused when the call returns. Fails: kStorageFull, kInternal.
  virtual Task<void> Write(std::span<const std::byte> bytes) = 0;
  // What has been written so far.
  virtual std::uint64_t size() const = 0;
  // Makes all that was written so far readable through the descriptor that it returns, which is
  // owned by the writer and stays the same: for readers that follow a blob as it grows. What they
  // read is not verified. Not after Finish(). Fails: kStorageFull, kInternal.
  virtual Task<int> Follow() = 0;
  // Ends writing and returns the digest and size of all that was written; the bytes are readable
  // through staged_file() but not yet part of the store. REQUIRES: called once.
  virtual Task<BlobInfo> Finish() = 0;
  // After Finish(): a read-only descriptor of the staged bytes, for validation before Commit().
  // Owned by the writer; always a real descriptor (memory backends use an anonymous file).
  virtual int staged_file() const = 0;
  // After Finish(): makes the blob part of the store, durably: it survives a power cut once this
  // returns. Committing also renews the age of a blob that was there already.
  virtual Task<void> Commit() = 0;
};

class BlobStore {
 public:
  virtual ~BlobStore() = default;
  // Fails: kStorageFull, kInternal.
  virtual Task<std::unique_ptr<BlobWriter>> Create() = 0;
  // Fails: kNotFound; kCorrupt when the stored size is not what was committed.
  virtual Task<std::shared_ptr<Blob>> Open(Digest digest) = 0;
  // Removes the blob if it was last committed before `older_than` seconds ago. Returns whether it
  // was removed. For garbage collection: the age check and the removal are one step.
  virtual Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) = 0;
  // Calls `visit` for each committed blob, in no order, on one of the store's threads, until it
  // returns false. Blobs committed or removed meanwhile may or may not be visited.
  virtual Task<void> Visit(std::function<bool(const BlobInfo&)> visit) = 0;
};

}  // namespace koya
