#include "service/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace koya::service {
namespace {

// Where the file system has no O_TMPFILE: a named file whose name is taken away at once.
UniqueFd OpenAndUnlink(const std::filesystem::path& folder) {
  std::string name = (folder / "scratch-XXXXXX").string();
  UniqueFd fd(::mkostemp(name.data(), O_CLOEXEC));
  if (fd.valid()) ::unlink(name.c_str());
  return fd;
}

}  // namespace

Result<ScratchFile> ScratchFile::Create(const std::filesystem::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!fd.valid() && (errno == EOPNOTSUPP || errno == EISDIR)) fd = OpenAndUnlink(folder);
  if (!fd.valid()) {
    return std::unexpected(ErrnoError("create a scratch file in " + folder.string(), errno));
  }
  return ScratchFile(std::move(fd));
}

Status ScratchFile::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return std::unexpected(ErrnoError("write a scratch file", errno));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::size_t> ScratchFile::ReadAt(std::uint64_t offset, std::span<std::byte> into) const {
  while (true) {
    ssize_t got = ::pread(fd_.get(), into.data(), into.size(), static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return std::unexpected(ErrnoError("read a scratch file", errno));
  }
}

}  // namespace koya::service
