#include "http/server/page_cache.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace koya::http {
namespace {

constexpr std::uint64_t kStep = 256 * 1024;

// Whether the byte at `offset` can be read without waiting.
bool IsAtHand(int descriptor, std::uint64_t offset) {
  char byte = 0;
  iovec into{&byte, 1};
  ssize_t got = 0;
  do {
    got = ::preadv2(descriptor, &into, 1, static_cast<off_t>(offset), RWF_NOWAIT);
  } while (got < 0 && errno == EINTR);
  if (got >= 0) return true;  // 0: beyond the end, where nothing is waited for either
  if (errno != EOPNOTSUPP) return false;
  struct statfs system{};
  return ::fstatfs(descriptor, &system) == 0 &&
         (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

}  // namespace

bool IsInMemory(const FileSlice& slice) {
  std::uint64_t end = slice.offset + slice.length;
  for (std::uint64_t at = slice.offset; at < end;) {
    at = std::min(at + kStep, end);
    if (!IsAtHand(slice.descriptor, at - 1)) return false;
  }
  return true;
}

void ReadIntoMemory(const FileSlice& slice) {
  auto offset = static_cast<off_t>(slice.offset);
  auto end = static_cast<off_t>(slice.offset + slice.length);
  // All of it is asked for at once; reading it then waits until it is there.
  (void)::posix_fadvise(slice.descriptor, offset, end - offset, POSIX_FADV_WILLNEED);
  std::array<char, 64 * 1024> unused;
  while (offset < end) {
    std::size_t piece =
        std::min<std::size_t>(unused.size(), static_cast<std::size_t>(end - offset));
    ssize_t got = ::pread(slice.descriptor, unused.data(), piece, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    offset += got;
  }
}

}  // namespace koya::http
