// Content-addressed storage: immutable byte sequences named by their SHA-256.
//
// A blob is staged where no reader sees it, and appears atomically under its digest when it is
// committed (data first, record last). Blobs are shared: committing bytes that are already stored
// succeeds. The store does not interpret the bytes.
//
// Every store stages bytes on this machine's disk: uploads are inspected and hashed before any
// reader may have them. Therefore a writer is plain and blocking, fed by the worker thread that has
// the bytes; only operations that are slow on a remote store (commit, open, remove) are awaited
// (docs/adr/0015).
//
// Threads: a store may be used from any number of coroutines on any threads; a writer or a reader
// belongs to one thread or coroutine at a time. Awaited operations run on the store's own worker
// pool. Every backend passes the suite in blob_store_suite.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/task.h"
#include "domain/digest.h"

namespace koya {

class WorkerPool;

struct BlobInfo {
  Digest digest;
  std::uint64_t size = 0;
};

class Fill;

// An open blob. It stays readable while this object exists, even when the blob is removed
// meanwhile.
class Blob {
 public:
  virtual ~Blob() = default;
  virtual std::uint64_t size() const = 0;
  // A descriptor for sendfile and pread, owned by the blob; nullopt when the blob is not a file on
  // this machine and can only be read with ReadAt.
  virtual std::optional<int> file_descriptor() const = 0;
  // The fill that still fetches this blob; it says how far its bytes may be handed out (fill.h).
  // Null: the blob is complete.
  virtual std::shared_ptr<Fill> growth() const { return nullptr; }
  // True when the store has removed or replaced this blob. It can still be read; callers that
  // cached this object must open the blob again.
  virtual bool gone() const { return false; }
  // Reads up to `into.size()` bytes at `offset`; 0 at the end. Waits for bytes that have not
  // arrived yet. Fails: kUnavailable, kCorrupt; as growth().
  virtual Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) = 0;
  // A URL on another host that serves the same bytes without a credential for a few minutes. A
  // client may be redirected there, for GET only. nullopt: this server sends the bytes.
  virtual Awaitable<std::optional<std::string>> RedirectUrl() { co_return std::nullopt; }
  // Whether RedirectUrl() may return a URL.
  virtual bool redirects() const { return false; }
};

// State of a blob in the store itself, and this machine's copy.
struct StoredBlob {
  enum class State { kWhole, kDamaged, kMissing };
  State state = State::kWhole;
  std::shared_ptr<Blob> copy = nullptr;  // this machine's, of the right size; null: it has none
};

// Objects in the store that no record names.
struct UnknownObjects {
  struct Object {
    std::string name;
    std::uint64_t size = 0;  // bytes
  };
  std::vector<Object> objects;
  std::string next;  // where the next page begins; "" at the end
};

// Writes one blob. Destroying an uncommitted writer removes the written bytes.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;
  // Appends. Blocks. Fails: kStorageFull, kInternal; after one failure every call fails.
  virtual Status Write(std::span<const std::byte> bytes) = 0;
  // Number of bytes written so far.
  virtual std::uint64_t size() const = 0;
  // A descriptor that reads all bytes written so far: for validation, and for readers that follow a
  // growing blob. Owned by the writer; always valid, and always the same. The bytes are not part of
  // the store. Others may read them during a commit.
  virtual int staged_file() const = 0;
  // Ends writing and returns the digest and size of the written bytes. Blocks. REQUIRES: called
  // once. Fails: as Write.
  virtual Result<BlobInfo> Finish() = 0;
  // After Finish(): stores the blob durably: it survives a power cut once this returns. A blob that
  // is already stored is verified, by reading it where that costs no transfer: an intact blob
  // restarts its age, a damaged or lost one is replaced with these bytes.
  virtual Task<void> Commit() = 0;
};

class BlobStore {
 public:
  virtual ~BlobStore() = default;
  // Starts a blob on this machine's disk. Blocks. Fails: kStorageFull, kInternal.
  virtual Result<std::unique_ptr<BlobWriter>> Create() = 0;
  // The pool on which coroutines feed their writers: its threads wait for this machine's disk.
  virtual WorkerPool& workers() = 0;
  // Commits writers of this store, in parallel where that is faster. Blobs committed before a
  // failure stay.
  virtual Task<void> CommitAll(std::vector<BlobWriter*> writers) = 0;
  // Fails: kNotFound; kCorrupt when the stored size differs from the committed size.
  virtual Task<std::shared_ptr<Blob>> Open(Digest digest) = 0;
  // For verification: reads the whole blob in the store itself (`quick`: only its size), bypassing
  // this machine's copies. A blob that differs counts as lost: the next commit of its bytes stores
  // them again. nullopt: the blob is stored on this machine, where Open() reads it. Fails: the
  // store cannot be reached.
  virtual Task<std::optional<StoredBlob>> CheckStored(BlobInfo /*blob*/, bool /*quick*/) {
    co_return std::nullopt;
  }
  // Lists orphans, one page of the store's listing at a time: uploads whose record was lost with a
  // database, which nothing would ever remove. `after`: "" or the last page's `next`. Always empty
  // for a store on this machine, where a file's name is its digest and garbage collection lists the
  // files. Fails: the store cannot be reached.
  virtual Task<UnknownObjects> ListUnknown(std::string /*after*/) { co_return UnknownObjects(); }
  // Drops this machine's copy of a blob that is stored remotely, because its bytes are wrong.
  virtual Awaitable<void> DropCopy(Digest /*digest*/) { co_return; }
  // Removes the blob if it was last committed before `older_than` seconds ago. Returns whether it
  // was removed. For garbage collection: the age check and the removal are atomic.
  virtual Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) = 0;
  // Does the same for several blobs (1,000 at most), in parallel where that is faster; each removal
  // is atomic by itself. Returns the removed digests: only some of them when a removal fails.
  // Fails: when the failure precedes the first removal.
  virtual Task<std::vector<Digest>> RemoveAllIfOlder(std::vector<Digest> digests,
                                                     std::chrono::seconds older_than) {
    std::vector<Digest> removed;
    for (const Digest& digest : digests) {
      Result<bool> gone = co_await RemoveIfOlder(digest, older_than);
      if (!gone && removed.empty()) co_return Failure(std::move(gone).error());
      if (!gone) break;
      if (*gone) removed.push_back(digest);
    }
    co_return removed;
  }
  // Those of `digests` (1,000 at most) that RemoveAllIfOlder would remove; changes nothing. A store
  // without ages takes all for older.
  virtual Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                              std::chrono::seconds /*older_than*/) {
    co_return digests;
  }
  // Lists committed blobs by digest, those after `after` (nullopt: from the first), at most
  // `limit`, which limits the memory used. An empty page is the end. Blobs that are committed or
  // removed meanwhile may or may not be listed.
  virtual Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) = 0;
};

// A staged blob: bytes that are written and hashed, but not yet part of a blob store. Readable by
// no client yet; removed unless the writer commits.
struct StagedBlob {
  std::unique_ptr<BlobWriter> writer;
  BlobInfo info;
};

// Stages a small text. Blocks. Fails: kStorageFull, kInternal.
Result<StagedBlob> StageText(BlobStore& blobs, std::string_view text);

// A ByteSource that reads a blob chunk by chunk: for blobs that are not files on this machine.
class BlobSource final : public ByteSource {
 public:
  explicit BlobSource(std::shared_ptr<Blob> blob) : blob_(std::move(blob)) {}

  // Fails: as the blob; kCorrupt when the blob ends before its size.
  Task<std::span<const std::byte>> Read() override;

 private:
  static constexpr std::size_t kPiece = 256 * 1024;

  std::shared_ptr<Blob> blob_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kPiece);
};

}  // namespace koya
