#include "blobs/fs/blob_removal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>

#include "base/encoding.h"
#include "base/file.h"
#include "blobs/fs/blob_files.h"

namespace koya {
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
