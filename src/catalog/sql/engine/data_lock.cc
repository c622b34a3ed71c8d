#include "catalog/sql/engine/data_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/text.h"

namespace koya::sql {
namespace {

std::string HolderOf(int fd) {
  std::array<char, 24> text{};
  ssize_t length = ::pread(fd, text.data(), text.size(), 0);
  std::string_view pid(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  pid = pid.substr(0, pid.find_first_not_of("0123456789"));
  return pid.empty() ? "another process" : fmt::format("process {}", pid);
}

}  // namespace

Result<DataLock> DataLock::Acquire(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!fd.valid()) {
    Error error = ErrnoError("open " + path, errno);
    error.message = fmt::format(
        "the lock file {} cannot be created ({}): check that its folder exists and that koya can "
        "write to it",
        path, error.detail);
    return Failure(std::move(error));
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Failure(ErrnoError("lock " + path, errno));
    return Fail(ErrorKind::kUnavailable,
                fmt::format("another koya server uses this data folder: {} holds the lock {}. Stop "
                            "it, or give this server its own folder",
                            HolderOf(fd.get()), path));
  }
  std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), pid.data(), pid.size(), 0) < 0) {
    return Failure(ErrnoError("write " + path, errno));
  }
  return DataLock(std::move(fd));
}

}  // namespace koya::sql
