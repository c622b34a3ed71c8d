#include "blobs/s3/s3_blob_store.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/sha256.h"
#include "blobs/s3/object_transfer.h"
#include "blobs/s3/storage_marker.h"

namespace koya {
namespace {

// Writes one blob of an S3BlobStore: stages it on the cache's disk, and uploads it when it is
// committed.
class S3BlobWriter final : public BlobWriter {
 public:
  // `store` outlives the writer.
  S3BlobWriter(S3BlobStore& store, std::unique_ptr<BlobWriter> staged)
      : store_(store), staged_(std::move(staged)) {}

  Status Write(std::span<const std::byte> bytes) override { return staged_->Write(bytes); }
  std::uint64_t size() const override { return staged_->size(); }
  int staged_file() const override { return staged_->staged_file(); }
  Result<BlobInfo> Finish() override;
  Task<void> Commit() override;

 private:
  S3BlobStore& store_;
  const std::unique_ptr<BlobWriter> staged_;
  std::optional<BlobInfo> info_;  // set by Finish
};

Result<BlobInfo> S3BlobWriter::Finish() {
  ASSIGN_OR_RETURN(BlobInfo info, staged_->Finish());
  info_ = info;
  return info;
}

Task<void> S3BlobWriter::Commit() {
  if (!info_) {
    co_return Fail(ErrorKind::kInternal, "the server could not store the upload; see its log",
                   "a blob was committed before it was finished");
  }
  co_return co_await store_.Commit(*staged_, *info_);
}

// How often a stored object may turn out to be lost while its bytes are at hand.
constexpr int kMostLosses = 3;

// A blob whose readers may be sent to the store.
class RedirectingBlob final : public Blob {
 public:
  RedirectingBlob(S3BlobStore& store, const Digest& digest, std::shared_ptr<Blob> blob)
      : store_(store), digest_(digest), blob_(std::move(blob)) {}

  std::uint64_t size() const override { return blob_->size(); }
  std::optional<int> file_descriptor() const override { return blob_->file_descriptor(); }
  std::shared_ptr<Fill> growth() const override { return blob_->growth(); }
  bool gone() const override { return blob_->gone(); }
  bool redirects() const override { return true; }
  Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override {
    co_return co_await blob_->ReadAt(offset, into);
  }
  Awaitable<std::optional<std::string>> RedirectUrl() override {
    std::optional<std::string> url = co_await store_.RedirectFor(digest_);
    // The next one finds it here.
    std::shared_ptr<Fill> fill = blob_->growth();
    if (url && fill) fill->Demand();
    co_return url;
  }

 private:
  S3BlobStore& store_;
  const Digest digest_;
  const std::shared_ptr<Blob> blob_;
};

// Blobs that are committed side by side.
struct CommitBatch {
  std::vector<BlobWriter*> writers;
  Condition changed;  // its mutex guards the rest
  std::size_t next = 0;
  std::size_t working = 0;
  std::optional<Error> failure;

  // Nothing when none is left, or one has failed.
  BlobWriter* Take() {
    std::lock_guard lock(changed.mutex());
    return failure || next == writers.size() ? nullptr : writers[next++];
  }
  void Note(Status committed) {
    std::lock_guard lock(changed.mutex());
    if (!committed && !failure) failure = std::move(committed).error();
  }
  void Leave() {
    {
      std::lock_guard lock(changed.mutex());
      --working;
    }
    changed.NotifyAll();
  }
};

Task<void> CommitOneOfBatch(BlobWriter* writer) {
  std::string thrown;
  try {
    co_return co_await writer->Commit();
  } catch (const std::exception& exception) {
    thrown = exception.what();
  }
  co_return Fail(ErrorKind::kInternal, "the server could not store the upload; see its log",
                 std::move(thrown));
}

Awaitable<void> CommitSomeOfBatch(std::shared_ptr<CommitBatch> batch) {
  while (BlobWriter* writer = batch->Take()) {
    Status committed = co_await CommitOneOfBatch(writer);
    batch->Note(std::move(committed));
  }
  batch->Leave();
}

}  // namespace

S3BlobStore::S3BlobStore(const S3BlobParts& parts, S3BlobOptions options)
    : parts_(parts),
      options_(std::move(options)),
      cache_(parts.cache, parts.log),
      errands_(2, 1),
      fills_(parts_, cache_, errands_, options_.fills) {}

S3BlobStore::~S3BlobStore() { Stop(); }

Result<std::unique_ptr<BlobWriter>> S3BlobStore::Create() {
  ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> staged, cache_.Create());
  return std::make_unique<S3BlobWriter>(*this, std::move(staged));
}

// ---- committing

Task<void> S3BlobStore::Commit(BlobWriter& staged, BlobInfo info) {
  ASSIGN_OR_CO_RETURN(std::string name, FreshObjectName(info.digest));
  BlobObject object{std::move(name), info.digest, info.size};
  ASSIGN_OR_CO_RETURN(bool stored, co_await IsStored(object));
  if (!stored) CO_RETURN_IF_ERROR(co_await Upload(std::move(object), staged.staged_file()));
  co_await cache_.StoreBlob(staged, info);
  co_return Status();
}

// Whether these bytes are stored, so that nothing has to be sent: as the ledger says, and as a look
// at the object shows. Else `object` is noted as arriving. A store that does not answer proves
// nothing against the ledger.
Task<bool> S3BlobStore::IsStored(BlobObject object) {
  for (int losses = 0; losses < kMostLosses; ++losses) {
    ASSIGN_OR_CO_RETURN(std::optional<BlobObject> stored, co_await parts_.ledger.Arrive(object));
    if (!stored) co_return false;
    Result<std::uint64_t> size =
        co_await parts_.objects.SizeOf(stored->name, RetryTimeout::kClient);
    const bool gone = !size && size.error().kind == ErrorKind::kNotFound;
    const bool other = size && *size != object.size;
    if (!gone && !other) co_return true;
    parts_.log.Error("the object store has lost a blob: its bytes are being stored again",
                     {{"digest", object.digest.ToString()}, {"object", stored->name}});
    CO_RETURN_IF_ERROR(co_await parts_.ledger.Lose(stored->name));
  }
  co_return Fail(ErrorKind::kUnavailable,
                 "the object store loses data: nothing can be stored; try again later",
                 object.digest.ToString());
}

// A failure leaves the row, and perhaps an object, to the sweep: the name is not used elsewhere.
Task<void> S3BlobStore::Upload(BlobObject object, int descriptor) {
  ObjectBody body{descriptor, object.size, object.digest};
  Status put = co_await parts_.objects.Put(object.name, body);
  if (!put) co_return Failure(FailureOfStore(std::move(put).error()));
  ++uploads_;
  upload_bytes_ += object.size;
  Result<BlobObject> settled = co_await parts_.ledger.CompleteUpload(object.name);
  if (settled) co_return Status();
  if (settled.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(settled).error());
  // It arrived after its row had gone: no sweeper will ever hear of it.
  Status removed = co_await parts_.objects.Delete(object.name);
  if (!removed) {
    parts_.log.Failure("an unused object could not be removed", removed.error(),
                       {{"object", object.name}});
  }
  settled.error().kind = ErrorKind::kUnavailable;
  co_return Failure(std::move(settled).error());
}

Task<void> S3BlobStore::CommitAll(std::vector<BlobWriter*> writers) {
  auto batch = std::make_shared<CommitBatch>();
  batch->working = std::min(writers.size(), options_.parallel_commits);
  batch->writers = std::move(writers);
  for (std::size_t left = batch->working; left > 0; --left) {
    errands_.Spawn(CommitSomeOfBatch(batch));
  }
  std::function<bool()> over = [&batch] { return batch->working == 0; };
  co_await batch->changed.Wait(std::move(over));
  std::lock_guard lock(batch->changed.mutex());
  if (batch->failure) co_return Failure(*batch->failure);
  co_return Status();
}

// ---- reading

Task<std::shared_ptr<Blob>> S3BlobStore::Open(Digest digest) {
  const std::uint64_t ended = fills_.ended();
  std::shared_ptr<Blob> blob = co_await cache_.OpenCached(digest);
  const bool cached = blob != nullptr;
  if (cached) {
    ++cache_opens_;
    cache_bytes_ += blob->size();
  } else {
    ASSIGN_OR_CO_RETURN(blob, co_await fills_.OpenBlob(digest, ended));
  }
  if (!Redirects(cached, blob->size())) co_return blob;
  co_return std::make_shared<RedirectingBlob>(*this, digest, std::move(blob));
}

Task<StoredBlob::State> S3BlobStore::CompareSize(BlobObject object) {
  Result<std::uint64_t> size =
      co_await parts_.objects.SizeOf(object.name, RetryTimeout::kBackground);
  if (size) {
    co_return *size == object.size ? StoredBlob::State::kWhole : StoredBlob::State::kDamaged;
  }
  if (size.error().kind == ErrorKind::kNotFound) co_return StoredBlob::State::kMissing;
  co_return Failure(FailureOfStore(std::move(size).error()));
}

Task<StoredBlob::State> S3BlobStore::CompareBytes(BlobObject object) {
  Sha256Hasher hasher;
  std::uint64_t size = 0;
  ObjectSink sink = [&](std::span<const std::byte> bytes) -> Status {
    size += bytes.size();
    if (size > object.size) return FailCorrupt("the store sent more than the object's size");
    hasher.Update(bytes);
    return {};
  };
  std::stop_token never;
  Status got = co_await parts_.objects.Get(object.name, {.offset = 0, .size = object.size},
                                           std::move(sink), std::move(never));
  if (got) {
    const bool same = Digest(hasher.Finish()) == object.digest;
    co_return same ? StoredBlob::State::kWhole : StoredBlob::State::kDamaged;
  }
  if (got.error().kind == ErrorKind::kNotFound) co_return StoredBlob::State::kMissing;
  if (got.error().kind == ErrorKind::kCorrupt) co_return StoredBlob::State::kDamaged;
  co_return Failure(FailureOfStore(std::move(got).error()));
}

Task<std::optional<StoredBlob>> S3BlobStore::CheckStored(BlobInfo blob, bool quick) {
  std::shared_ptr<Blob> copy = co_await cache_.OpenCached(blob.digest);
  StoredBlob found{.state = StoredBlob::State::kMissing, .copy = std::move(copy)};
  Result<BlobObject> object = co_await parts_.ledger.FindStored(blob.digest);
  if (!object && object.error().kind == ErrorKind::kNotFound) co_return found;
  if (!object) co_return Failure(std::move(object).error());
  ASSIGN_OR_CO_RETURN(found.state, co_await (quick ? CompareSize(*object) : CompareBytes(*object)));
  if (found.state == StoredBlob::State::kWhole) {
    if (object->lost && !quick) CO_RETURN_IF_ERROR(co_await parts_.ledger.Regain(object->name));
    co_return found;
  }
  parts_.log.Error("the object store has lost a blob: publish it again, or restore the object",
                   {{"digest", blob.digest.ToString()},
                    {"object", object->name},
                    {"bytes", object->size},
                    {"copy_here", found.copy != nullptr}});
  CO_RETURN_IF_ERROR(co_await parts_.ledger.Lose(object->name));
  co_return found;
}

Task<UnknownObjects> S3BlobStore::ListUnknown(std::string after) {
  Result<std::vector<ObjectInfo>> page =
      co_await parts_.objects.List(std::string(), std::move(after));
  if (!page) co_return Failure(FailureOfStore(std::move(page).error()));
  UnknownObjects found;
  if (page->empty()) co_return found;
  found.next = page->back().name;
  std::vector<std::string> names;
  for (const ObjectInfo& object : *page) names.push_back(object.name);
  ASSIGN_OR_CO_RETURN(const std::vector<std::string> unknown,
                      co_await parts_.ledger.FindUnknown(std::move(names)));
  for (ObjectInfo& object : *page) {
    const bool listed = std::ranges::find(unknown, object.name) != unknown.end();
    if (listed && object.name != kMarkerName) {
      found.objects.push_back({std::move(object.name), object.size});
    }
  }
  co_return found;
}

bool S3BlobStore::Redirects(bool cached, std::uint64_t size) const {
  const RedirectOptions& redirect = options_.redirect;
  if (redirect.when == RedirectOptions::When::kOff || size < redirect.min) return false;
  return redirect.when == RedirectOptions::When::kAll || !cached;
}

// Clients are redirected only to bytes that are known to exist: this server cannot correct an error
// that the store sends them.
Awaitable<std::optional<std::string>> S3BlobStore::RedirectFor(Digest digest) {
  Result<BlobObject> object = co_await parts_.ledger.FindStored(digest);
  // A lost blob is read through this server, which reports the loss or finds that the blob is
  // intact.
  if (!object || object->lost) co_return std::nullopt;
  Result<std::uint64_t> size = co_await parts_.objects.SizeOf(object->name, RetryTimeout::kClient);
  if (!size || *size != object->size) co_return std::nullopt;
  Result<std::string> url =
      co_await parts_.objects.PresignGet(std::move(object->name), options_.redirect.ttl);
  if (!url) {
    parts_.log.Failure("a redirect to the object store cannot be signed", url.error());
    co_return std::nullopt;
  }
  ++redirects_;
  redirect_bytes_ += object->size;
  co_return *std::move(url);
}

// ---- removing and listing

Task<bool> S3BlobStore::RemoveIfOlder(Digest digest, std::chrono::seconds older_than) {
  std::vector<Digest> asked{digest};
  ASSIGN_OR_CO_RETURN(std::vector<Digest> left,
                      co_await RemoveAllIfOlder(std::move(asked), older_than));
  co_return !left.empty();
}

Task<std::vector<Digest>> S3BlobStore::RemoveAllIfOlder(std::vector<Digest> digests,
                                                        std::chrono::seconds older_than) {
  ASSIGN_OR_CO_RETURN(std::vector<Digest> left,
                      co_await parts_.ledger.MarkLeaving(std::move(digests), older_than));
  for (const Digest& digest : left) co_await cache_.Drop(digest);
  co_return left;
}

Task<std::vector<Digest>> S3BlobStore::FindOlder(std::vector<Digest> digests,
                                                 std::chrono::seconds older_than) {
  return parts_.ledger.FindOlder(std::move(digests), older_than);
}

Task<std::vector<BlobInfo>> S3BlobStore::List(std::optional<Digest> after, std::size_t limit) {
  ASSIGN_OR_CO_RETURN(std::vector<BlobObject> objects,
                      co_await parts_.ledger.ListStored(after, limit));
  std::vector<BlobInfo> blobs;
  blobs.reserve(objects.size());
  for (const BlobObject& object : objects) {
    const bool again = !blobs.empty() && blobs.back().digest == object.digest;
    if (!again) blobs.push_back({object.digest, object.size});
  }
  co_return blobs;
}

S3BlobCounts S3BlobStore::counts() const {
  const FillCounts& fills = fills_.counts();
  return {.cache_opens = cache_opens_,
          .cache_bytes = cache_bytes_,
          .store_bytes = fills.bytes,
          .fills = fills.fills,
          .fill_failures = fills.failures,
          .lost = fills.lost,
          .uploads = uploads_,
          .upload_bytes = upload_bytes_,
          .redirects = redirects_,
          .redirect_bytes = redirect_bytes_};
}

}  // namespace koya
