#include "blobs/s3/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/file.h"
#include "base/file_io.h"

namespace koya::s3 {
namespace {

constexpr std::size_t kMostOfAFile = 64 << 10;
constexpr std::string_view kAround = " \t\r\n";

Failure Unreadable(std::string why) { return Fail(ErrorKind::kInvalid, "", std::move(why)); }

}  // namespace

FileStamp StampOf(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .seconds = found.st_mtim.tv_sec,
          .nanoseconds = found.st_mtim.tv_nsec};
}

Result<std::string> ReadSmallFile(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return Unreadable(std::strerror(errno));
  std::string text(kMostOfAFile + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    auto got = ReadSome(file.get(), std::as_writable_bytes(std::span(text)).subspan(size));
    if (!got) return Unreadable(std::strerror(got.error()));
    if (*got == 0) break;
    size += *got;
  }
  if (size > kMostOfAFile) return Unreadable("it is larger than 64 KiB");
  text.resize(size);
  return text;
}

std::string TrimmedLine(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(kAround), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(kAround) + 1 - begin));
}

bool IsOneWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace koya::s3
