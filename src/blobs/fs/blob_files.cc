#include "blobs/fs/blob_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "base/encoding.h"
#include "base/file.h"

namespace koya {
namespace {

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

std::optional<std::uint64_t> CommittedSize(int fd) {
  std::array<char, 24> text{};
  ssize_t length = ::fgetxattr(fd, BlobLayout::kSizeAttribute, text.data(), text.size());
  if (length <= 0) return std::nullopt;
  std::uint64_t size = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + length, size);
  return ec == std::errc() ? std::optional(size) : std::nullopt;
}

Result<CommittedFile> OpenCommitted(const BlobLayout& layout, const Digest& digest) {
  const std::string path = layout.PathOf(digest);
  CommittedFile file{.fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW))};
  if (!file.fd.valid() && errno == ENOENT) {
    return Fail(ErrorKind::kNotFound,
                fmt::format("no bytes are stored under {}", digest.ToString()), path);
  }
  if (!file.fd.valid() || ::fstat(file.fd.get(), &file.status) != 0) {
    return Failure(ErrnoError("open " + path, errno));
  }
  const std::uint64_t committed = CommittedSize(file.fd.get()).value_or(file.size());
  if (file.size() == committed && S_ISREG(file.status.st_mode)) return file;
  return Fail(ErrorKind::kCorrupt,
              fmt::format("the bytes stored under {} are damaged: the file has {} bytes instead "
                          "of {}; restore it from a backup",
                          digest.ToString(), file.size(), committed),
              path);
}

std::chrono::nanoseconds SinceEpoch(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::chrono::nanoseconds WallTime() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return SinceEpoch(now);
}

std::vector<BlobInfo> ListCommitted(const BlobLayout& layout, std::optional<Digest> after,
                                    std::size_t limit) {
  std::vector<BlobInfo> page;
  for (std::size_t index = after ? BlobLayout::FolderIndex(*after) : 0;
       index < BlobLayout::kFolders && page.size() < limit; ++index) {
    const std::string prefix = fmt::format("{:02x}", index);
    std::vector<Digest> found;
    do {
      const std::size_t room = limit - page.size();
      found = ListFolder(layout.BlobsFolder() + "/" + prefix, prefix, after, room);
      for (const Digest& digest : found) {
        struct stat status{};
        after = digest;
        if (::lstat(layout.PathOf(digest).c_str(), &status) != 0) continue;  // removed meanwhile
        if (!S_ISREG(status.st_mode)) continue;
        page.push_back({digest, static_cast<std::uint64_t>(status.st_size)});
      }
    } while (!found.empty() && page.size() < limit);
  }
  return page;
}

namespace {

constexpr std::size_t kHexDigits = 64;

bool OlderThan(const struct stat& status, std::chrono::seconds age) {
  return SinceEpoch(status.st_mtim) <= WallTime() - age;
}

// Restores the file's name, unless a commit has stored the bytes again.
Status PutBack(const std::string& away, const std::string& path) {
  if (::link(away.c_str(), path.c_str()) != 0 && errno != EEXIST && errno != ENOENT) {
    return Failure(ErrnoError("put back " + path, errno));
  }
  ::unlink(away.c_str());
  return {};
}

// Of a file that was moved away: as it is now, whatever a network file system remembers of it,
// which asks its server when a file is opened. Nothing when it is gone.
std::optional<struct stat> LookAnew(const std::string& away) {
  UniqueFd fd(::open(away.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) return std::nullopt;
  return status;
}

}  // namespace

bool Renew(const UniqueFd& blob, const std::string& path, const FsWatch& watch) {
  struct stat opened{};
  if (!blob.valid() || ::fstat(blob.get(), &opened) != 0) return false;
  if (watch) watch(FsStep::kFoundWhole);
  if (::futimens(blob.get(), nullptr) != 0) return false;
  struct stat named{};
  return ::stat(path.c_str(), &named) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

bool IsOld(const BlobLayout& layout, const Digest& digest, std::chrono::seconds age) {
  struct stat found{};
  if (::stat(layout.PathOf(digest).c_str(), &found) != 0) return false;
  return SinceEpoch(found.st_mtim) <= WallTime() && OlderThan(found, age);
}

Result<bool> RemoveIfOld(const BlobLayout& layout, const Digest& digest, std::chrono::seconds age,
                         const FsWatch& watch) {
  const std::string path = layout.PathOf(digest);
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return false;
    return Failure(ErrnoError("stat " + path, errno));
  }
  if (SinceEpoch(found.st_mtim) > WallTime()) {
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
    return false;
  }
  if (!OlderThan(found, age)) return false;
  if (watch) watch(FsStep::kFoundOld);
  const std::string away = layout.LeavingPathOf(digest);
  if (::rename(path.c_str(), away.c_str()) != 0) {
    if (errno == ENOENT) return false;
    return Failure(ErrnoError("move " + path, errno));
  }
  if (watch) watch(FsStep::kMovedAway);
  std::optional<struct stat> moved = LookAnew(away);
  if (!moved || !OlderThan(*moved, age)) {
    RETURN_IF_ERROR(PutBack(away, path));
    return false;
  }
  // Gone already: another process put it back.
  if (::unlink(away.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return Failure(ErrnoError("remove " + away, errno));
}

std::string BlobLayout::RandomName() {
  std::array<std::byte, 16> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) return "entropy-unavailable";
  return HexEncode(bytes);
}

void RestoreFiles(const BlobLayout& layout) {
  const std::string folder = layout.TempFolder();
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    std::string_view name = entry->d_name;
    if (!name.starts_with(BlobLayout::kLeaving)) continue;
    name.remove_prefix(BlobLayout::kLeaving.size());
    Result<Digest> digest = Digest::Parse(name.substr(0, kHexDigits));
    if (digest) (void)PutBack(folder + "/" + entry->d_name, layout.PathOf(*digest));
  }
}

}  // namespace koya
