#include "base/file_io.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace koya {

int WriteAll(int descriptor, std::span<const std::byte> bytes,
             std::optional<std::uint64_t> offset) {
  while (!bytes.empty()) {
    ssize_t wrote =
        offset ? ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(*offset))
               : ::write(descriptor, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    if (offset) *offset += static_cast<std::uint64_t>(wrote);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
  return 0;
}

std::expected<std::size_t, int> ReadSome(int descriptor, std::span<std::byte> into,
                                         std::optional<std::uint64_t> offset) {
  while (true) {
    ssize_t got = offset
                      ? ::pread(descriptor, into.data(), into.size(), static_cast<off_t>(*offset))
                      : ::read(descriptor, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return std::unexpected(errno);
  }
}

std::expected<UniqueFd, int> MakeTemporaryFile(const std::filesystem::path& folder) {
  UniqueFd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR) return std::unexpected(errno);
  // The file system knows no such files: a named one whose name is taken away at once.
  std::string name = (folder / "koya-XXXXXX").string();
  file = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) return std::unexpected(errno);
  ::unlink(name.c_str());
  return file;
}

Result<ScratchFile> ScratchFile::Create(const std::filesystem::path& folder) {
  auto file = MakeTemporaryFile(folder);
  if (file) return ScratchFile(*std::move(file));
  return Failure(ErrnoError("create a scratch file in " + folder.string(), file.error()));
}

Status ScratchFile::Append(std::span<const std::byte> bytes) {
  int failed = WriteAll(fd_.get(), bytes);
  return failed == 0 ? Status() : Failure(ErrnoError("write a scratch file", failed));
}

Result<std::size_t> ScratchFile::ReadAt(std::uint64_t offset, std::span<std::byte> into) const {
  auto got = ReadSome(fd_.get(), into, offset);
  if (!got) return Failure(ErrnoError("read a scratch file", got.error()));
  return *got;
}

}  // namespace koya
