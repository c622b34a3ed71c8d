#include "service/operate/backup_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file_io.h"
#include "service/operate/read_backup.h"

namespace koya::service {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCopyPiece = 256 << 10;
constexpr std::string_view kUnfinished = ".part";
constexpr std::string_view kLockName = "lock";

Status SyncFolder(const fs::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    return Failure(ErrnoError("fsync " + folder.string(), errno));
  }
  return {};
}

Failure FolderFailure(const fs::path& folder, const std::error_code& error) {
  return Fail(
      error == std::errc::no_space_on_device ? ErrorKind::kStorageFull : ErrorKind::kInternal,
      fmt::format("the backup folder {} cannot be used: {}", folder.string(), error.message()));
}

// Visits files below `folder`, whose name is `name` ("" or ending in "/").
Status Walk(const fs::path& folder, const std::string& name, std::string_view prefix,
            const BackupPlace::Visit& visit) {
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    std::string below = name + each->path().filename().string();
    if (each->is_directory(error)) {
      below += '/';
      if (!below.starts_with(prefix) && !prefix.starts_with(below)) continue;
      RETURN_IF_ERROR(Walk(each->path(), below, prefix, visit));
      continue;
    }
    if (!below.starts_with(prefix) || below == kLockName) continue;
    const std::uintmax_t size = each->file_size(error);
    if (!error) visit(below, size);
  }
  if (error && error != std::errc::no_such_file_or_directory) return FolderFailure(folder, error);
  return {};
}

}  // namespace

Status PassFile(int descriptor, std::uint64_t size, const ByteSink& sink) {
  std::vector<std::byte> piece(kCopyPiece);
  for (std::uint64_t at = 0; at < size;) {
    const auto wanted = std::span(piece).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size - at)));
    const auto read = ReadSome(descriptor, wanted, at);
    if (!read) return Failure(ErrnoError("read a file for a backup", read.error()));
    if (*read == 0) return FailInternal("a file became shorter while it was copied");
    RETURN_IF_ERROR(sink(wanted.first(*read)));
    at += *read;
  }
  return {};
}

Result<Digest> HashFile(int descriptor, std::uint64_t size) {
  Sha256Hasher hasher;
  RETURN_IF_ERROR(PassFile(descriptor, size, [&hasher](std::span<const std::byte> bytes) -> Status {
    hasher.Update(bytes);
    return {};
  }));
  return Digest(hasher.Finish());
}

Result<std::unique_ptr<BackupFolder>> BackupFolder::OpenToWrite(fs::path folder) {
  std::error_code error;
  const bool made = fs::create_directories(folder, error);
  if (error) return FolderFailure(folder, error);
  // Only the owner may read the contents (hashes of passwords and tokens).
  if (made) fs::permissions(folder, fs::perms::owner_all, error);
  UniqueFd lock(::open((folder / kLockName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid()) return FolderFailure(folder, {errno, std::generic_category()});
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return FailConflict("another process writes a backup to {}: wait until it ends",
                        folder.string());
  }
  return std::unique_ptr<BackupFolder>(new BackupFolder(std::move(folder), std::move(lock)));
}

Result<std::unique_ptr<BackupFolder>> BackupFolder::OpenToRead(fs::path folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return FailNotFound("there is no backup folder {}", folder.string());
  }
  return std::unique_ptr<BackupFolder>(new BackupFolder(std::move(folder), UniqueFd()));
}

Status BackupFolder::SyncFolders() {
  for (const fs::path& each : unsynced_) RETURN_IF_ERROR(SyncFolder(each));
  unsynced_.clear();
  return {};
}

Status BackupFolder::Put(const std::string& name, const BackupFile& file) {
  const bool is_blob = name.starts_with("blobs/");
  if (!is_blob) RETURN_IF_ERROR(SyncFolders());
  const fs::path path = folder_ / name;
  std::error_code error;
  if (fs::create_directories(path.parent_path(), error)) {
    for (fs::path made = path.parent_path(); made != folder_; made = made.parent_path()) {
      unsynced_.insert(made.parent_path());
    }
  }
  if (error) return FolderFailure(path.parent_path(), error);
  const fs::path unfinished = path.string() + std::string(kUnfinished);
  const UniqueFd fd(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));
  if (!fd.valid()) return Failure(ErrnoError("create " + unfinished.string(), errno));
  ScopeGuard remove([&unfinished] { ::unlink(unfinished.c_str()); });
  Sha256Hasher hasher;
  RETURN_IF_ERROR(
      PassFile(file.descriptor, file.size, [&](std::span<const std::byte> bytes) -> Status {
        hasher.Update(bytes);
        if (const int failed = WriteAll(fd.get(), bytes); failed != 0) {
          return Failure(ErrnoError("write " + unfinished.string(), failed));
        }
        return {};
      }));
  if (Digest(hasher.Finish()) != file.digest) {
    return Fail(ErrorKind::kCorrupt, fmt::format("the bytes of {} have another digest", name));
  }
  if (::fsync(fd.get()) != 0) return Failure(ErrnoError("fsync " + unfinished.string(), errno));
  if (::rename(unfinished.c_str(), path.c_str()) != 0) {
    return Failure(ErrnoError("rename " + unfinished.string(), errno));
  }
  remove.Dismiss();
  unsynced_.insert(path.parent_path());
  return is_blob ? Status() : SyncFolders();
}

Status BackupFolder::Get(const std::string& name, const ByteSink& sink) {
  const fs::path path = folder_ / name;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) {
    return FailNotFound("the backup lacks the file {}", path.string());
  }
  if (!fd.valid()) return Failure(ErrnoError("open " + path.string(), errno));
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return FolderFailure(path, error);
  return PassFile(fd.get(), size, sink);
}

Status BackupFolder::Delete(const std::string& name) {
  std::error_code error;
  const fs::path path = folder_ / name;
  fs::remove(path, error);
  if (error) return FolderFailure(path, error);
  fs::remove(path.parent_path(), error);  // if nothing is left in it
  return {};
}

Status BackupFolder::List(const std::string& prefix, const Visit& visit) {
  return Walk(folder_, "", prefix, [&](std::string_view name, std::uint64_t size) {
    if (!name.ends_with(kUnfinished)) return visit(name, size);
    if (!lock_.valid()) return;
    // What a killed process left: no other one writes here.
    std::error_code ignored;
    fs::remove(folder_ / name, ignored);
    fs::remove((folder_ / name).parent_path(), ignored);  // if nothing is left in it
  });
}

}  // namespace koya::service
