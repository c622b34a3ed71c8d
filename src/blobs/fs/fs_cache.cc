#include "blobs/fs/fs_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/file_io.h"
#include "blobs/fs/blob_files.h"

namespace koya {
namespace {

// Makes backup programs skip the folder (https://bford.info/cachedir/), and marks its blobs for
// this program as copies of blobs stored remotely.
constexpr const char* kTagName = "/CACHEDIR.TAG";
constexpr std::string_view kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n# Archives of the object store, cached by Koya; "
    "can be deleted at any time.\n";

// How far the hash of a file may be behind its writer. One hand-over to another thread costs less
// than a hundredth of hashing 1 MiB; others wait for that thread while it hashes 32 MiB, some 30
// ms.
constexpr std::uint64_t kMostBehind = 64u << 20;
constexpr std::uint64_t kHashedAtLeast = 1u << 20;
constexpr std::uint64_t kHashedAtOnce = 32u << 20;

constexpr int kAttempts = 16;  // to write into a folder that is being deleted

Status WriteTag(const std::string& root) {
  const std::string path = root + kTagName;
  UniqueFd tag(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
  if (!tag.valid() && errno == EEXIST) return {};
  const int failed = tag.valid() ? WriteAll(tag.get(), std::as_bytes(std::span(kTag))) : errno;
  if (failed != 0) return Failure(ErrnoError("write " + path, failed));
  return {};
}

Error OpenError(Error error, const std::string& root) {
  error.message = fmt::format(
      "the folder of cached archives, {}, cannot be used ({}): check that it is a folder, that "
      "koya can write to it, and that the disk has space",
      root, error.detail);
  return error;
}

}  // namespace

Result<std::unique_ptr<FsCache>> FsCache::Open(std::string root, FsBlobParts parts,
                                               FsCacheOptions options) {
  std::unique_ptr<FsCache> cache(new FsCache(std::move(root), parts, std::move(options)));
  const std::string& folder = cache->layout_.root();
  // A store of record whose folder is named here by mistake must not be lost.
  if (::access((folder + kTagName).c_str(), F_OK) != 0 &&
      !ListCommitted(cache->layout_, std::nullopt, 1).empty()) {
    return FailInvalid(
        "{} contains archives that are not marked as a cache: name another "
        "folder for the cache, or, if nothing else is in it, delete this one",
        folder);
  }
  if (Status ready = cache->Prepare(); !ready) {
    return Failure(OpenError(std::move(ready).error(), folder));
  }
  return cache;
}

Status FsCache::Prepare() {
  (void)MakeFolders();  // told of below
  StagedFile::RemoveLeftovers(layout_.TempFolder());
  Recount();
  // Says now, rather than at the first fill, that the folder cannot be written to.
  auto probe = [this]() -> Status {
    RETURN_IF_ERROR(MakeFolders());
    RETURN_IF_ERROR(StagedFile::Create(layout_.TempFolder()));
    return {};
  };
  Status ready = probe();
  while (!ready && ready.error().kind == ErrorKind::kStorageFull && GiveWay(1)) ready = probe();
  return ready;
}

Status FsCache::MakeFolders() const {
  std::error_code ec;
  const std::filesystem::path parent = std::filesystem::path(layout_.root()).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, ec);
  RETURN_IF_ERROR(MakeFolder(layout_.root()));
  RETURN_IF_ERROR(MakeFolder(layout_.TempFolder()));
  RETURN_IF_ERROR(MakeFolder(layout_.BlobsFolder()));
  return WriteTag(layout_.root());
}

Result<std::unique_ptr<BlobWriter>> FsCache::Create() {
  return parts_.open_files.WithDescriptors([this] { return CreateNow(); });
}

Result<std::shared_ptr<CacheStaging>> FsCache::StageNow() {
  ASSIGN_OR_RETURN(StagedFile file, StagedFile::Create(layout_.TempFolder()));
  ASSIGN_OR_RETURN(UniqueFd reading, file.OpenForReading());
  return std::make_shared<CacheStaging>(index_.Reserve(), nullptr, std::move(file),
                                        std::move(reading));
}

Result<std::unique_ptr<BlobWriter>> FsCache::CreateNow() {
  Result<std::shared_ptr<CacheStaging>> staging = StageNow();
  while (!staging && staging.error().kind == ErrorKind::kStorageFull && GiveWay(1)) {
    staging = StageNow();
  }
  // The folder was deleted, most likely, and may be so again at any moment.
  for (int i = 0; i < kAttempts && !staging && staging.error().kind == ErrorKind::kInternal; ++i) {
    suspect_ = true;
    (void)MakeFolders();
    staging = StageNow();
  }
  if (!staging) return Failure(std::move(staging).error());
  return std::make_unique<FsCacheWriter>(*this, *std::move(staging));
}

Task<void> FsCache::CommitAll(std::vector<BlobWriter*> writers) {
  auto work = [&writers]() -> Status {
    for (BlobWriter* writer : writers) {
      RETURN_IF_ERROR(static_cast<FsCacheWriter*>(writer)->CommitNow());
    }
    return {};
  };
  co_return co_await Offload(parts_.writers, std::move(work));
}

Task<std::shared_ptr<Blob>> FsCache::Open(Digest digest) {
  auto work = [this, &digest] {
    return parts_.open_files.WithDescriptors([&] { return OpenNow(digest); });
  };
  co_return co_await Offload(parts_.readers, std::move(work));
}

// The blob, if file and entry belong together: the entry is held from before the file was opened.
std::shared_ptr<Blob> FsCache::OpenEntry(const Digest& digest, Result<CommittedFile>& file) {
  OpenFiles::Ticket ticket = parts_.open_files.TakeTicket();
  Entry entry = index_.FindEntry(digest);
  file = OpenCommitted(layout_, digest);
  if (!entry || !file || entry->size() != file->size() || !index_.Has(entry)) return nullptr;
  auto blob =
      std::make_shared<FsBlob>(std::move(file->fd), file->status, parts_.readers, std::move(entry));
  return parts_.open_files.AddOpened(ticket, digest, std::move(blob));
}

Result<std::shared_ptr<Blob>> FsCache::OpenNow(const Digest& digest) {
  Result<CommittedFile> file = CommittedFile{};
  std::shared_ptr<Blob> blob = OpenEntry(digest, file);
  Entry lost;
  if (!blob && (file || index_.FindEntry(digest))) {
    // Something came or went in between, or is not as it is remembered.
    std::lock_guard lock(locks_[BlobLayout::FolderIndex(digest)]);
    const bool is_known = index_.FindEntry(digest) != nullptr;
    if (file && !is_known) index_.Add(digest, file->size(), FsBlob::Clock::now());
    blob = OpenEntry(digest, file);
    if (!blob) lost = index_.FindEntry(digest);
  }
  if (blob) {
    ++hits_;
    (void)blob->file_descriptor();  // is a use
    return blob;
  }
  if (!file && file.error().kind == ErrorKind::kUnavailable) {
    return Failure(std::move(file).error());
  }
  ++misses_;
  if (lost) {
    suspect_ = true;
    const bool is_bad = file || file.error().kind != ErrorKind::kNotFound;
    (void)Remove(lost, is_bad ? Why::kBad : Why::kDropped);
  }
  return FailNotFound("no bytes are cached under {}", digest.ToString());
}

void FsCache::Place(CacheStaging& staged, const BlobInfo& info) {
  if (!staged.file.pending() || !staged.file.IsLinked()) {
    ++unkept_;
    return;
  }
  Status placed = staged.file.Sync(info.size);  // slow: not under the lock
  if (placed) {
    std::lock_guard lock(locks_[BlobLayout::FolderIndex(info.digest)]);
    placed = MoveIn(staged.file, info.digest);
    if (placed) {
      const auto now = FsBlob::Clock::now();
      staged.entry = index_.Add(info.digest, info.size, now, staged.reservation.get());
    }
  }
  if (!placed) {
    ++unkept_;
    const bool was_deleted = !staged.file.IsLinked();
    staged.file.Unlink();
    if (!was_deleted) Report("an archive could not be cached", placed.error());
    return;
  }
  parts_.open_files.Evict(info.digest);  // the replaced file may be damaged
  MakeRoom();
}

Status FsCache::MoveIn(StagedFile& file, const Digest& digest) {
  const std::string path = layout_.PathOf(digest);
  Status moved = file.MoveTo(path);
  if (moved) return {};
  RETURN_IF_ERROR(MakeFolders());
  RETURN_IF_ERROR(MakeFolder(layout_.FolderOf(digest)));
  return file.MoveTo(path);
}

void FsCache::MakeRoom() {
  std::vector<Entry> chosen = index_.Choose();
  while (!chosen.empty()) {
    for (Entry& entry : chosen) {
      (void)Remove(entry, Why::kBound);
      entry.reset();  // gives its bytes back, before it is asked again
    }
    chosen = index_.Choose();
  }
}

bool FsCache::GiveWay(std::uint64_t bytes) {
  std::vector<Entry> chosen = index_.Choose(bytes + options_.bound / 64);
  for (Entry& entry : chosen) {
    (void)Remove(entry, Why::kBound);
    entry.reset();
  }
  return !chosen.empty();
}

bool FsCache::Remove(const Entry& entry, Why why) {
  const Digest& digest = entry->digest();
  // While it has a name: closing it is cheap then, and at once.
  parts_.open_files.Evict(digest);
  {
    std::lock_guard lock(locks_[BlobLayout::FolderIndex(digest)]);
    if (!index_.Has(entry)) return false;
    const std::string path = layout_.PathOf(digest);
    if (::unlink(path.c_str()) != 0) {
      suspect_ = true;
      if (errno != ENOENT) Report("a cached archive cannot be removed", ErrnoError(path, errno));
    }
    index_.Remove(entry);
  }
  parts_.open_files.Evict(digest);  // who opened it in between
  if (why == Why::kBound) ++evictions_;
  if (why == Why::kBad) {
    ++bad_;
    Error error{ErrorKind::kCorrupt, "a cached archive was damaged; it will be fetched again",
                layout_.PathOf(digest)};
    Report("a cached archive was damaged and is gone", error);
  }
  if (options_.on_gone) options_.on_gone(digest);
  return true;
}

void FsCache::Drop(const Digest& digest) {
  if (Entry entry = index_.FindEntry(digest)) (void)Remove(entry, Why::kDropped);
}

Task<bool> FsCache::RemoveIfOlder(Digest digest, std::chrono::seconds older_than) {
  auto work = [this, digest, older_than]() -> Result<bool> {
    return RemoveNow(digest, older_than);
  };
  co_return co_await Offload(parts_.writers, std::move(work));
}

Task<std::vector<Digest>> FsCache::FindOlder(std::vector<Digest> digests,
                                             std::chrono::seconds older_than) {
  auto work = [&] {
    std::erase_if(digests, [&](const Digest& digest) { return !IsOlder(digest, older_than); });
    return std::move(digests);
  };
  co_return co_await Offload(parts_.writers, std::move(work));
}

bool FsCache::IsOlder(const Digest& digest, std::chrono::seconds than) const {
  struct stat status{};
  if (::lstat(layout_.PathOf(digest).c_str(), &status) != 0) return false;
  // One from the future was written while a clock was ahead.
  const auto age = std::max(WallTime() - SinceEpoch(status.st_mtim), std::chrono::nanoseconds(0));
  return age >= than;
}

bool FsCache::RemoveNow(const Digest& digest, std::chrono::seconds older_than) {
  const Entry entry = index_.FindEntry(digest);
  return entry && IsOlder(digest, older_than) && Remove(entry, Why::kDropped);
}

Task<std::vector<BlobInfo>> FsCache::List(std::optional<Digest> after, std::size_t limit) {
  auto work = [this, after, limit]() -> Result<std::vector<BlobInfo>> {
    return ListCommitted(layout_, after, limit);
  };
  co_return co_await Offload(parts_.writers, std::move(work));
}

FsCacheCounters FsCache::counters() const {
  return {.entries = index_.count(),
          .bytes = index_.bytes().total(),
          .bound = options_.bound,
          .hits = hits_,
          .misses = misses_,
          .evictions = evictions_,
          .unkept = unkept_,
          .scrubbed_bytes = scrubbed_,
          .bad_entries = bad_};
}

void FsCache::Report(std::string_view what, const Error& error) const {
  if (options_.on_trouble) options_.on_trouble(what, error);
}

bool StagedHash::Grow(std::span<const std::byte> bytes, bool alone) {
  if (alone && hashed_ == size_) {
    std::lock_guard lock(mutex_);
    hasher_.Update(bytes);
    size_ += bytes.size();
    hashed_ += bytes.size();
    return false;
  }
  size_ += bytes.size();
  if (size_ - hashed_ > kMostBehind) (void)HashMore();  // Finish reports a failure
  return size_ - hashed_ >= kHashedAtLeast && !called_.exchange(true);
}

int StagedHash::HashMore() {
  std::array<std::byte, 64 * 1024> piece;
  std::lock_guard lock(mutex_);
  const std::uint64_t end = hashed_ + kHashedAtOnce;
  int failed = 0;
  while (failed == 0 && hashed_ < std::min<std::uint64_t>(size_, end)) {
    const std::size_t most = std::min<std::uint64_t>(piece.size(), size_ - hashed_);
    const auto got = ReadSome(descriptor_, std::span(piece).first(most), hashed_);
    if (!got) failed = got.error();
    if (got && *got == 0) failed = EIO;  // another program has cut the file short
    hasher_.Update(std::span(piece).first(got.value_or(0)));
    hashed_ += got.value_or(0);
  }
  called_ = false;
  return failed;
}

Result<Digest> StagedHash::Finish() {
  while (hashed_ < size_) {
    const int failed = HashMore();
    if (failed != 0) return Failure(ErrnoError("read a file that was just written", failed));
  }
  std::lock_guard lock(mutex_);
  return Digest(hasher_.Finish());
}

void FsCache::HashElsewhere(const std::shared_ptr<CacheStaging>& staging) {
  auto work = [staging, hashing = hashing_] {
    (void)staging->hash.HashMore();
    --*hashing;
  };
  if (hashing_->fetch_add(1) < most_hashing_) {
    parts_.writers.Post(std::move(work));
  } else {
    work();
  }
}

// What has no name is freed as its last descriptor is closed: not here, which may be an event loop.
FsCacheWriter::~FsCacheWriter() {
  const bool is_kept = staging_->entry && !staging_->entry->gone;
  if (is_kept) return;
  cache_.parts_.writers.Post([staging = std::move(staging_)]() mutable { staging.reset(); });
}

Status FsCacheWriter::Append(std::span<const std::byte> bytes) {
  Status written = staging_->file.Append(bytes);
  while (!written && written.error().kind == ErrorKind::kStorageFull) {
    // It goes on, at the expense of others and for this once only.
    staging_->file.Unlink();
    if (!cache_.GiveWay(bytes.size())) break;
    staging_->file.Rewind();
    written = staging_->file.Append(bytes);
  }
  return written;
}

Status FsCacheWriter::Write(std::span<const std::byte> bytes) {
  if (failure_) return Failure(*failure_);
  size_ += bytes.size();
  staging_->reservation->Grow(bytes.size());
  if (size_ > cache_.most_each()) staging_->file.Unlink();
  cache_.MakeRoom();
  if (Status written = Append(bytes); !written) {
    failure_ = std::move(written).error();
    return Failure(*failure_);
  }
  const bool alone = *cache_.hashing_ >= cache_.most_hashing_;
  if (staging_->hash.Grow(bytes, alone)) cache_.HashElsewhere(staging_);
  return {};
}

Result<BlobInfo> FsCacheWriter::Finish() {
  if (failure_) return Failure(*failure_);
  ASSIGN_OR_RETURN(Digest digest, staging_->hash.Finish());
  info_ = BlobInfo{digest, size_};
  return *info_;
}

Task<void> FsCacheWriter::Commit() {
  auto work = [this] { return CommitNow(); };
  co_return co_await Offload(cache_.parts_.writers, std::move(work));
}

Status FsCacheWriter::CommitNow() {
  if (!info_) {
    return Fail(ErrorKind::kInternal, "the server could not store the upload; see its log",
                "a blob was committed before it was finished");
  }
  if (!staging_->entry) cache_.Place(*staging_, *info_);
  return {};
}

}  // namespace koya
