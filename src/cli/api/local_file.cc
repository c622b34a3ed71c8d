#include "cli/api/local_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file_io.h"
#include "base/sha256.h"
#include "domain/digest.h"

namespace koya::cli {

Failure LocalFailure(std::string_view what, const std::filesystem::path& path, int error_number) {
  bool full = error_number == ENOSPC || error_number == EDQUOT;
  return Fail(
      full ? ErrorKind::kStorageFull : ErrorKind::kInvalid,
      fmt::format("{} {}: {}", what, path.string(), std::generic_category().message(error_number)));
}

Result<LocalFile> LocalFile::Open(std::filesystem::path path) {
  LocalFile file;
  file.fd_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file.fd_.valid() || ::fstat(file.fd_.get(), &status) != 0) {
    return LocalFailure("cannot open", path, errno);
  }
  file.size_ = static_cast<std::uint64_t>(status.st_size);
  file.path_ = std::move(path);
  return file;
}

Result<std::string> LocalFile::ComputeDigest() const {
  Sha256Hasher hasher;
  std::vector<std::byte> buffer(1 << 20);
  std::uint64_t offset = 0;
  while (true) {
    auto got = ReadSome(fd_.get(), buffer, offset);
    if (!got) return LocalFailure("cannot read", path_, got.error());
    if (*got == 0) break;
    hasher.Update(std::span(buffer).first(*got));
    offset += *got;
  }
  return Digest(hasher.Finish()).ToString();
}

Result<UniqueFd> OpenForReading(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.valid()) return file;
  return LocalFailure("cannot open", path, errno);
}

Result<std::string> FileDigest(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(LocalFile file, LocalFile::Open(path));
  return file.ComputeDigest();
}

}  // namespace koya::cli
