#include "blobs/fs/staged_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "base/file_io.h"
#include "blobs/fs/blob_files.h"

namespace koya {
namespace {

// Written-back in steps of this size while bytes still arrive, so that the final fsync does not
// have to wait for a whole archive.
constexpr std::uint64_t kFlushStep = 8u << 20;

// Whether the lock was taken on a file that still has its name: RemoveLeftovers may have been
// quicker between open and flock.
bool LockNewFile(int fd) {
  struct stat status{};
  return ::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &status) == 0 && status.st_nlink == 1;
}

}  // namespace

Result<StagedFile> StagedFile::Create(const std::string& folder) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    std::string path = folder + "/" + BlobLayout::RandomName();
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
    if (!fd.valid() && errno == EEXIST) continue;
    if (!fd.valid()) return Failure(ErrnoError("create " + path, errno));
    if (LockNewFile(fd.get())) return StagedFile(std::move(fd), std::move(path));
  }
  return Fail(ErrorKind::kInternal, "the server could not use its storage; see its log",
              "create a file in " + folder + ": every attempt was removed at once");
}

Status StagedFile::Append(std::span<const std::byte> bytes) {
  int failed = WriteAll(fd_.get(), bytes);
  if (failed != 0) return Failure(ErrnoError("write " + path_, failed));
  written_ += bytes.size();
  if (written_ - flushed_ >= kFlushStep) {
    // A hint: where it is not supported, fsync does all the work.
    (void)::sync_file_range(fd_.get(), static_cast<off_t>(flushed_),
                            static_cast<off_t>(written_ - flushed_), SYNC_FILE_RANGE_WRITE);
    flushed_ = written_;
  }
  return {};
}

Result<UniqueFd> StagedFile::OpenForReading() const {
  UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Failure(ErrnoError("open " + path_, errno));
  return fd;
}

Status StagedFile::Sync(std::uint64_t size) {
  // File systems without attributes store no size: Open cannot detect a truncated blob there.
  std::string text = std::to_string(size);
  (void)::fsetxattr(fd_.get(), BlobLayout::kSizeAttribute, text.data(), text.size(), 0);
  if (::futimens(fd_.get(), nullptr) != 0) return Failure(ErrnoError("touch " + path_, errno));
  if (::fsync(fd_.get()) != 0) return Failure(ErrnoError("fsync " + path_, errno));
  return {};
}

Status StagedFile::MoveTo(const std::string& path) {
  if (::rename(path_.c_str(), path.c_str()) != 0) {
    return Failure(ErrnoError("rename " + path_ + " to " + path, errno));
  }
  path_.clear();
  return {};
}

void StagedFile::Unlink() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

bool StagedFile::IsLinked() const {
  struct stat status{};
  return ::fstat(fd_.get(), &status) == 0 && status.st_nlink > 0;
}

void StagedFile::Rewind() { (void)::lseek(fd_.get(), static_cast<off_t>(written_), SEEK_SET); }

void StagedFile::Discard() {
  // Unlink before unlock: no other process may take the file for a leftover in between.
  if (fd_.valid() && !path_.empty()) ::unlink(path_.c_str());
  path_.clear();
  fd_.Reset();
}

void StagedFile::RemoveLeftovers(const std::string& folder) {
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with('.') || name.starts_with(BlobLayout::kLeaving)) continue;
    UniqueFd fd(::openat(::dirfd(entries.get()), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd.valid() || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) continue;
    ::unlinkat(::dirfd(entries.get()), entry->d_name, 0);
  }
}

}  // namespace koya
