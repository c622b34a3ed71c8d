#include "blobs/fs/fs_blob_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <span>
#include <vector>

#include "base/sha256.h"
#include "blobs/fs/fs_blob_writer.h"

namespace koya {
namespace {

Status MakeFolder(const std::string& path) {
  if (::mkdir(path.c_str(), 0750) == 0 || errno == EEXIST) return {};
  return Failure(ErrnoError("make folder " + path, errno));
}

Status SyncFolder(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    return Failure(ErrnoError("fsync folder " + path, errno));
  }
  return {};
}

// The size that was committed, where the file system could keep it.
std::optional<std::uint64_t> CommittedSize(int fd) {
  std::array<char, 24> text{};
  ssize_t length = ::fgetxattr(fd, BlobLayout::kSizeAttribute, text.data(), text.size());
  if (length <= 0) return std::nullopt;
  std::uint64_t size = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + length, size);
  return ec == std::errc() ? std::optional(size) : std::nullopt;
}

// The file that holds these very bytes under `path`, open; an invalid one when there is none, or
// they are damaged. Reads all of it: committing what is stored already is rare, and the one moment
// at which the right bytes are at hand to take the place of wrong ones.
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

// The blobs of one fan-out folder after `after`: the first `room` by digest.
std::vector<Digest> ListFolder(const std::string& path, std::string_view prefix,
                               const std::optional<Digest>& after, std::size_t room) {
  std::vector<Digest> first;  // a heap, the last of them on top
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(path.c_str()), &::closedir);
  if (!entries) return first;  // nothing was ever stored there
  while (const dirent* entry = ::readdir(entries.get())) {
    Result<Digest> digest = Digest::Parse(fmt::format("sha256:{}{}", prefix, entry->d_name));
    if (!digest || (after && *digest <= *after)) continue;  // not ours, or listed before
    first.push_back(*digest);
    std::ranges::push_heap(first);
    if (first.size() <= room) continue;
    std::ranges::pop_heap(first);
    first.pop_back();
  }
  std::ranges::sort_heap(first);
  return first;
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
    BringBack(layout);
    StagedFile::RemoveLeftovers(layout.TempFolder());
    // Says now, rather than at the first upload, that the folder cannot be written to.
    RETURN_IF_ERROR(StagedFile::Create(layout.TempFolder()));
    return {};
  };
  if (Status ready = prepare(); !ready) {
    Error error = std::move(ready).error();
    error.message = fmt::format(
        "the folder of stored archives, {}, cannot be used ({}): check that "
        "it is a folder, that koya may write to it, and that the disk has "
        "room",
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
  std::string path = layout_.PathOf(digest);
  OpenFiles::Ticket ticket = parts_.open_files.TakeTicket();
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid() && errno == ENOENT) {
    // A removal may have it in its hands, and be about to put it back.
    std::lock_guard lock(locks_[BlobLayout::FolderIndex(digest)]);
    fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  }
  if (!fd.valid() && errno == ENOENT) {
    parts_.open_files.Forget(digest);
    return Fail(ErrorKind::kNotFound,
                fmt::format("no bytes are stored under {}", digest.ToString()), path);
  }
  struct stat status{};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) {
    return Failure(ErrnoError("open " + path, errno));
  }
  auto size = static_cast<std::uint64_t>(status.st_size);
  std::uint64_t committed = CommittedSize(fd.get()).value_or(size);
  if (size != committed || !S_ISREG(status.st_mode)) {
    parts_.open_files.Forget(digest);
    return Fail(ErrorKind::kCorrupt,
                fmt::format("the bytes stored under {} are damaged: the file has {} bytes instead "
                            "of {}; restore it from a backup",
                            digest.ToString(), size, committed),
                path);
  }
  auto blob = std::make_shared<FsBlob>(std::move(fd), status, parts_.readers);
  return parts_.open_files.Keep(ticket, digest, std::move(blob));
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
  parts_.open_files.Forget(info.digest);  // what was replaced was damaged
  // Under the lock, so that whoever finds the blob present may rely on it.
  return SyncFolder(layout_.FolderOf(info.digest));
}

Task<bool> FsBlobStore::RemoveIfOlder(Digest digest, std::chrono::seconds older_than) {
  auto work = [this, digest, older_than] { return RemoveNow(digest, older_than); };
  co_return co_await Offload(parts_.writers, std::move(work));
}

Result<bool> FsBlobStore::RemoveNow(const Digest& digest, std::chrono::seconds older_than) {
  std::lock_guard lock(locks_[BlobLayout::FolderIndex(digest)]);
  ASSIGN_OR_RETURN(bool removed, RemoveIfOld(layout_, digest, older_than, watch_));
  if (removed) parts_.open_files.Forget(digest);
  return removed;
}

Task<std::vector<BlobInfo>> FsBlobStore::List(std::optional<Digest> after, std::size_t limit) {
  auto work = [this, &after, limit] { return ListNow(after, limit); };
  co_return co_await Offload(parts_.writers, std::move(work));
}

Result<std::vector<BlobInfo>> FsBlobStore::ListNow(std::optional<Digest> after,
                                                   std::size_t limit) const {
  if (!after) BringBack(layout_);  // what another process left, as it died
  std::vector<BlobInfo> page;
  for (std::size_t index = after ? BlobLayout::FolderIndex(*after) : 0;
       index < BlobLayout::kFolders && page.size() < limit; ++index) {
    const std::string prefix = fmt::format("{:02x}", index);
    std::vector<Digest> found;
    do {
      const std::size_t room = limit - page.size();
      found = ListFolder(layout_.BlobsFolder() + "/" + prefix, prefix, after, room);
      for (const Digest& digest : found) {
        struct stat status{};
        after = digest;
        if (::lstat(layout_.PathOf(digest).c_str(), &status) != 0) continue;  // removed meanwhile
        if (!S_ISREG(status.st_mode)) continue;
        page.push_back({digest, static_cast<std::uint64_t>(status.st_size)});
      }
    } while (!found.empty() && page.size() < limit);
  }
  return page;
}

}  // namespace koya
