// Content-addressed storage: immutable byte sequences named by their SHA-256.
//
// A blob is written to a place nobody can read, and appears under its digest all at once when it
// is committed (data first, record last). Blobs are shared: committing bytes that are stored
// already is a success. Nothing here knows what the bytes mean.
//
// Bytes are staged on this machine's disk, whatever the store: what arrives is inspected and hashed
// before anybody else may have it. So a writer is plain and blocking, fed by whichever worker
// thread has the bytes; only what a remote store takes its time for (committing, opening, removing)
// is awaited (docs/adr/0015).
//
// Threads: a store may be used from any number of coroutines on any threads; a writer or a reader
// belongs to one thread or coroutine at a time. What is awaited happens on the store's own worker
// pool. Every backend passes the suite in blob_store_suite.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/digest.h"

namespace koya {

class WorkerPool;

struct BlobInfo {
  Digest digest;
  std::uint64_t size = 0;
};

class Fill;

// An open blob. It stays readable while this exists, even when the blob is removed meanwhile.
class Blob {
 public:
  virtual ~Blob() = default;
  virtual std::uint64_t size() const = 0;
  // A descriptor for sendfile and pread, owned by the blob; nullopt when the bytes are no file on
  // this machine: then ReadAt is the only way to them.
  virtual std::optional<int> file_descriptor() const = 0;
  // The arrival that the blob is still part of: how far its bytes may be handed out (fill.h). Null:
  // the blob is whole.
  virtual std::shared_ptr<Fill> growth() const { return nullptr; }
  // Whether the store has let go of it, or has other bytes in its place: it can still be read, and
  // whoever kept it opens the blob anew.
  virtual bool gone() const { return false; }
  // Reads up to `into.size()` bytes at `offset`; 0 at the end. Waits for what has not arrived yet.
  // Fails: kUnavailable, kCorrupt; as growth().
  virtual Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) = 0;
  // A URL elsewhere that reads the same bytes, without a credential and for a few minutes: whoever
  // asked for them may be sent there, with GET only. Nothing: they are sent from here.
  virtual Awaitable<std::optional<std::string>> RedirectUrl() { co_return std::nullopt; }
  // Whether RedirectUrl() may name one.
  virtual bool redirects() const { return false; }
};

// What the store itself has of a blob, and this machine beside it.
struct StoredBlob {
  enum class State { kWhole, kDamaged, kMissing };
  State state = State::kWhole;
  std::shared_ptr<Blob> copy = nullptr;  // this machine's, of the right size; null: it has none
};

// Objects that lie in the store and that no record names.
struct UnknownObjects {
  struct Object {
    std::string name;
    std::uint64_t size = 0;  // bytes
  };
  std::vector<Object> objects;
  std::string next;  // where the next page begins; "" at the end
};

// A blob being written. Destroying an uncommitted writer removes what was written.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;
  // Appends. Blocks. Fails: kStorageFull, kInternal; for ever after it has failed once.
  virtual Status Write(std::span<const std::byte> bytes) = 0;
  // What has been written so far.
  virtual std::uint64_t size() const = 0;
  // A descriptor through which all that was written so far can be read: for validation, and for
  // readers that follow a blob as it grows. Owned by the writer; always a real one, and always the
  // same. The bytes are not part of the store. Others may read them while it is committed.
  virtual int staged_file() const = 0;
  // Ends writing and returns the digest and size of all that was written. Blocks. REQUIRES: called
  // once. Fails: as Write.
  virtual Result<BlobInfo> Finish() = 0;
  // After Finish(): makes the blob part of the store, durably: it survives a power cut once this
  // returns. A blob that was there already is looked at, by reading it where that costs no
  // transfer: when it is whole its age begins anew, and when it is damaged or lost these bytes take
  // its place.
  virtual Task<void> Commit() = 0;
};

class BlobStore {
 public:
  virtual ~BlobStore() = default;
  // Begins a blob on this machine's disk. Blocks. Fails: kStorageFull, kInternal.
  virtual Result<std::unique_ptr<BlobWriter>> Create() = 0;
  // Where coroutines have their writers fed: threads that wait for this machine's disk.
  virtual WorkerPool& workers() = 0;
  // Commits writers of this store, several at once where that is quicker; what was committed before
  // a failure stays.
  virtual Task<void> CommitAll(std::vector<BlobWriter*> writers) = 0;
  // Fails: kNotFound; kCorrupt when the stored size is not what was committed.
  virtual Task<std::shared_ptr<Blob>> Open(Digest digest) = 0;
  // For checks: reads all of the blob where it is stored (`quick`: asks for its size), past this
  // machine's copies. What is not as it was counts as lost: the next commit of its bytes stores
  // them again. nullopt: it is stored on this machine, where Open() reads it. Fails: the store
  // cannot be asked.
  virtual Task<std::optional<StoredBlob>> CheckStored(BlobInfo /*blob*/, bool /*quick*/) {
    co_return std::nullopt;
  }
  // What nothing would ever remove, a page of the store's listing: uploads whose record was lost
  // with a database. `after`: "" or the last page's `next`. None on this machine, where a file's
  // name is its digest and collections go by what is there. Fails: the store cannot be asked.
  virtual Task<UnknownObjects> ListUnknown(std::string /*after*/) { co_return UnknownObjects(); }
  // Drops this machine's copy of a blob that is stored elsewhere, because its bytes are wrong.
  virtual Awaitable<void> DropCopy(Digest /*digest*/) { co_return; }
  // Removes the blob if it was last committed before `older_than` seconds ago. Returns whether it
  // was removed. For garbage collection: the age check and the removal are one step.
  virtual Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) = 0;
  // The same for several (1,000 at most), at once where that is quicker: each by itself is one
  // step. Returns those that were removed: some of them when one could not be. Fails: when none was
  // removed before that.
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
  // Committed blobs by digest, those after `after` (nothing: from the first), at most `limit`,
  // which is the memory that it takes. The end is where a page is empty. Blobs that are committed
  // or removed meanwhile may or may not be listed.
  virtual Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) = 0;
};

}  // namespace koya
