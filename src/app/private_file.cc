#include "app/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>

#include "base/file_io.h"

namespace koya {
namespace {

Failure FileFailure(std::string_view what, const std::filesystem::path& path, int error_number) {
  return Failure(ErrnoError(std::string(what) + " " + path.string(), error_number));
}

Status WriteText(int descriptor, std::string_view text, const std::filesystem::path& path) {
  int failed = WriteAll(descriptor, std::as_bytes(std::span(text)));
  if (failed != 0) return FileFailure("write", path, failed);
  if (::fsync(descriptor) != 0) return FileFailure("fsync", path, errno);
  return {};
}

// Writes a file beside `path` and hands its name to `place`, which gives it its own name and
// returns what rename() and link() return. Returns the errno of that.
Result<int> WriteAndPlace(const std::filesystem::path& path, std::string_view text, mode_t mode,
                          int (*place)(const char* from, const char* to)) {
  std::string draft = path.string() + ".XXXXXX";
  UniqueFd file(::mkostemp(draft.data(), O_CLOEXEC));  // 0600 from the start
  if (!file.valid()) return FileFailure("create", path, errno);
  ScopeGuard remove_draft([&draft] { ::unlink(draft.c_str()); });
  RETURN_IF_ERROR(WriteText(file.get(), text, path));
  if (::fchmod(file.get(), mode) != 0) return FileFailure("chmod", path, errno);
  if (place(draft.c_str(), path.c_str()) != 0) return errno;
  // A bare name has no folder in it.
  const std::filesystem::path within = path.has_parent_path() ? path.parent_path() : ".";
  UniqueFd folder(::open(within.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || ::fsync(folder.get()) != 0) return FileFailure("fsync", within, errno);
  return 0;
}

}  // namespace

Status WriteFileAtomically(const std::filesystem::path& path, std::string_view text, mode_t mode) {
  ASSIGN_OR_RETURN(int error_number, WriteAndPlace(path, text, mode, &::rename));
  if (error_number != 0) return FileFailure("rename", path, error_number);
  return {};
}

Status WriteFileOnce(const std::filesystem::path& path, std::string_view text, mode_t mode) {
  ASSIGN_OR_RETURN(int error_number, WriteAndPlace(path, text, mode, &::link));
  if (error_number != 0 && error_number != EEXIST) return FileFailure("link", path, error_number);
  return {};
}

Result<std::string> ReadSmallFile(const std::filesystem::path& path) {
  constexpr std::size_t kMax = std::size_t{1} << 20;
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() && errno == ENOENT) return std::string();
  if (!file.valid()) return FileFailure("open", path, errno);
  std::string text;
  std::array<std::byte, 4096> buffer;
  while (text.size() < kMax) {
    auto got = ReadSome(file.get(), buffer);
    if (!got) return FileFailure("read", path, got.error());
    if (*got == 0) return text;
    text.append(reinterpret_cast<const char*>(buffer.data()), *got);
  }
  return FileFailure("read", path, EFBIG);
}

}  // namespace koya
