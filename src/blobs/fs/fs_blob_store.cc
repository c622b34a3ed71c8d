#include "blobs/fs/fs_blob_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <span>
#include <vector>

#include "base/sha256.h"
#include "blobs/fs/blob_files.h"

namespace koya {
namespace {

// Opens the file at `path` if it holds exactly these bytes; returns an invalid descriptor when it
// is missing or damaged. Reads the whole file: committing a stored blob again is rare, and the only
// moment when the right bytes are available to replace wrong ones.
UniqueFd OpenIfWhole(const std::string& path, const BlobInfo& info) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (static_cast<std::uint64_t>(status.st_size) != info.size) return {};
  if (CommittedSize(fd.get()).value_or(info.size) != info.size) return {};
  Sha256Hasher hasher;
  std::vector<std::byte> piece(256 * 1024);
  for (std::uint64_t offset = 0; offset < info.size;) {
    ssize_t count = ::pread(fd.get(), piece.data(), piece.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    hasher.Update(std::span(piece).first(static_cast<std::size_t>(count)));
    offset += static_cast<std::uint64_t>(count);
  }
  if (Digest(hasher.Finish()) != info.digest) return {};
  return fd;
}

}  // namespace

Result<std::unique_ptr<FsBlobStore>> FsBlobStore::Open(std::string root, FsBlobParts parts,
                                                       FsWatch watch) {
  std::unique_ptr<FsBlobStore> store(new FsBlobStore(std::move(root), parts, std::move(watch)));
  const BlobLayout& layout = store->layout_;
  auto prepare = [&layout]() -> Status {
    std::error_code ec;
    std::filesystem::path parent = std::filesystem::path(layout.root()).parent_path();
    if (!parent.empty()) std::filesystem::create_directories(parent, ec);
    RETURN_IF_ERROR(MakeFolder(layout.root()));
    RETURN_IF_ERROR(MakeFolder(layout.BlobsFolder()));
    RETURN_IF_ERROR(MakeFolder(layout.TempFolder()));
    RETURN_IF_ERROR(SyncFolder(layout.root()));
    RestoreFiles(layout);
    StagedFile::RemoveLeftovers(layout.TempFolder());
    // Says now, rather than at the first upload, that the folder cannot be written to.
    RETURN_IF_ERROR(StagedFile::Create(layout.TempFolder()));
    return {};
  };
  if (Status ready = prepare(); !ready) {
    Error error = std::move(ready).error();
    error.message = fmt::format(
        "the folder of stored archives, {}, cannot be used ({}): check that it is a folder, that "
        "koya can write to it, and that the disk has space",
        layout.root(), error.detail);
    return Failure(std::move(error));
  }
  return store;
}

Result<std::unique_ptr<BlobWriter>> FsBlobStore::Create() {
  return parts_.open_files.WithDescriptors([this] { return CreateNow(); });
}

Result<std::unique_ptr<BlobWriter>> FsBlobStore::CreateNow() {
  ASSIGN_OR_RETURN(StagedFile file, StagedFile::Create(layout_.TempFolder()));
  ASSIGN_OR_RETURN(UniqueFd staged, file.OpenForReading());
  return std::make_unique<FsBlobWriter>(*this, parts_.writers, std::move(file), std::move(staged));
}

Task<void> FsBlobStore::CommitAll(std::vector<BlobWriter*> writers) {
  auto work = [&writers]() -> Status {
    for (BlobWriter* writer : writers) {
      RETURN_IF_ERROR(static_cast<FsBlobWriter*>(writer)->CommitNow());
    }
    return {};
  };
  co_return co_await Offload(parts_.writers, std::move(work));
}

Task<std::shared_ptr<Blob>> FsBlobStore::Open(Digest digest) {
  auto work = [this, &digest] {
    return parts_.open_files.WithDescriptors([&] { return OpenNow(digest); });
  };
  co_return co_await Offload(parts_.readers, std::move(work));
}

Result<std::shared_ptr<Blob>> FsBlobStore::OpenNow(const Digest& digest) {
  OpenFiles::Ticket ticket = parts_.open_files.TakeTicket();
  Result<CommittedFile> file = OpenCommitted(layout_, digest);
  if (!file && file.error().kind == ErrorKind::kNotFound) {
    // A removal may have it in its hands, and be about to put it back.
    std::lock_guard lock(locks_[BlobLayout::FolderIndex(digest)]);
    file = OpenCommitted(layout_, digest);
  }
  if (!file) {
    const ErrorKind kind = file.error().kind;
    const bool is_lost = kind == ErrorKind::kNotFound || kind == ErrorKind::kCorrupt;
    if (is_lost) parts_.open_files.Evict(digest);
    return Failure(std::move(file).error());
  }
  auto blob = std::make_shared<FsBlob>(std::move(file->fd), file->status, parts_.readers);
  return parts_.open_files.AddOpened(ticket, digest, std::move(blob));
}

Status FsBlobStore::PrepareFolder(const Digest& digest) {
  std::size_t index = BlobLayout::FolderIndex(digest);
  if (prepared_[index]) return {};
  RETURN_IF_ERROR(MakeFolder(layout_.FolderOf(digest)));
  // Even when it existed: an earlier run may have been killed before it got here.
  RETURN_IF_ERROR(SyncFolder(layout_.BlobsFolder()));
  prepared_[index] = true;
  return {};
}

Status FsBlobStore::Place(StagedFile& file, const BlobInfo& info) {
  std::mutex& mutex = locks_[BlobLayout::FolderIndex(info.digest)];
  std::string path = layout_.PathOf(info.digest);
  UniqueFd whole = OpenIfWhole(path, info);  // slow: not under the lock
  if (whole.valid()) {
    std::lock_guard lock(mutex);
    if (Renew(whole, path, watch_)) return {};
  }
  RETURN_IF_ERROR(file.Sync(info.size));  // slow as well
  std::lock_guard lock(mutex);
  RETURN_IF_ERROR(PrepareFolder(info.digest));
  RETURN_IF_ERROR(file.MoveTo(path));
  parts_.open_files.Evict(info.digest);  // the replaced file was damaged
  // Under the lock, so that a caller that finds the blob can rely on its durability.
  return SyncFolder(layout_.FolderOf(info.digest));
}

Task<bool> FsBlobStore::RemoveIfOlder(Digest digest, std::chrono::seconds older_than) {
  auto work = [this, digest, older_than] { return RemoveNow(digest, older_than); };
  co_return co_await Offload(parts_.writers, std::move(work));
}

Result<bool> FsBlobStore::RemoveNow(const Digest& digest, std::chrono::seconds older_than) {
  std::lock_guard lock(locks_[BlobLayout::FolderIndex(digest)]);
  ASSIGN_OR_RETURN(bool removed, RemoveIfOld(layout_, digest, older_than, watch_));
  if (removed) parts_.open_files.Evict(digest);
  return removed;
}

Task<std::vector<Digest>> FsBlobStore::FindOlder(std::vector<Digest> digests,
                                                 std::chrono::seconds older_than) {
  auto work = [&] {
    std::erase_if(digests,
                  [&](const Digest& digest) { return !IsOld(layout_, digest, older_than); });
    return std::move(digests);
  };
  co_return co_await Offload(parts_.writers, std::move(work));
}

Task<std::vector<BlobInfo>> FsBlobStore::List(std::optional<Digest> after, std::size_t limit) {
  auto work = [this, &after, limit] { return ListNow(after, limit); };
  co_return co_await Offload(parts_.writers, std::move(work));
}

Result<std::vector<BlobInfo>> FsBlobStore::ListNow(std::optional<Digest> after,
                                                   std::size_t limit) const {
  if (!after) RestoreFiles(layout_);  // what another process left, as it died
  return ListCommitted(layout_, std::move(after), limit);
}

FsBlobWriter::FsBlobWriter(FsBlobStore& store, WorkerPool& pool, StagedFile file, UniqueFd staged)
    : store_(store),
      pool_(pool),
      file_(std::make_shared<StagedFile>(std::move(file))),
      staged_(std::move(staged)) {}

FsBlobWriter::~FsBlobWriter() {
  if (!file_->pending()) return;  // it is where it belongs
  // Removing a large file takes milliseconds, and this may run on an event loop.
  pool_.Post([file = std::move(file_)] { file->Discard(); });
}

Status FsBlobWriter::Write(std::span<const std::byte> bytes) {
  if (failure_) return Failure(*failure_);
  size_ += bytes.size();
  hasher_.Update(bytes);
  if (Status written = file_->Append(bytes); !written) {
    failure_ = std::move(written).error();
    return Failure(*failure_);
  }
  return {};
}

Result<BlobInfo> FsBlobWriter::Finish() {
  if (failure_) return Failure(*failure_);
  info_ = BlobInfo{Digest(hasher_.Finish()), size_};
  return *info_;
}

Task<void> FsBlobWriter::Commit() {
  auto work = [this] { return CommitNow(); };
  co_return co_await Offload(pool_, std::move(work));
}

Status FsBlobWriter::CommitNow() {
  if (!info_) {
    return Fail(ErrorKind::kInternal, "the server could not store the upload; see its log",
                "a blob was committed before it was finished");
  }
  return store_.Place(*file_, *info_);
}

}  // namespace koya
