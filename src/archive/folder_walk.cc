#include "archive/folder_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>

#include "archive/entry_name.h"
#include "archive/terraform_ignore.h"
#include "base/file_io.h"
#include "base/text.h"

namespace koya {
namespace {

constexpr const char* kIgnoreFile = ".terraformignore";
constexpr std::size_t kMaxIgnoreFile = 1 << 20;

Failure Invalid(std::string message) { return Fail(ErrorKind::kInvalid, std::move(message)); }

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

// A folder still to be read, and whether the rules exclude it.
struct Pending {
  std::string path;
  bool excluded;
};

// State of one walk. Paths are opened relative to `root`: where the folder lies, and how long its
// own path is, do not matter. Folders wait in a list, so depth costs no stack.
struct Walk {
  int root;
  const ArchiveLimits& limits;
  IgnoreRules rules;
  std::vector<Pending> pending{};
  std::vector<ArchiveEntry> files{};
  std::uint64_t folders = 0;
  std::uint64_t bytes = 0;
};

Result<std::string> ReadIgnoreFile(int root) {
  UniqueFd file(::openat(root, kIgnoreFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.valid()) {
    // A link is left to the walk, which says what to do about links.
    if (errno == ENOENT || errno == ELOOP) return std::string();
    return CannotRead(kIgnoreFile, errno);
  }
  std::string text;
  std::array<std::byte, 16384> buffer;
  while (true) {
    auto got = ReadSome(file.get(), buffer);
    if (!got) return CannotRead(kIgnoreFile, got.error());
    if (*got == 0) return text;
    text.append(reinterpret_cast<const char*>(buffer.data()), *got);
    if (text.size() > kMaxIgnoreFile) {
      return Invalid(fmt::format("\"{}\" is larger than 1 MiB; shorten it", kIgnoreFile));
    }
  }
}

Failure RefuseLink(int root, const std::string& path) {
  std::array<char, 4096> target{};
  ssize_t size = ::readlinkat(root, path.c_str(), target.data(), target.size());
  std::string_view text(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return Invalid(
      fmt::format("\"{}\" is a symbolic link to \"{}\", and clients lose links; put a copy of the "
                  "target there, "
                  "or name the link in .terraformignore",
                  Printable(path), Printable(text)));
}

// Names and sizes are held to the server's rules here, before anything is read or sent.
Status AddFile(Walk& walk, const std::string& path, const struct stat& info) {
  ArchiveEntry file{.name = path,
                    .size = static_cast<std::uint64_t>(info.st_size),
                    .executable = (info.st_mode & S_IXUSR) != 0};
  Result<std::string> name = ParseEntryName(path);
  if (!name) return Invalid(std::move(name).error().message);
  walk.bytes += file.size;
  if (walk.bytes > walk.limits.unpacked_bytes) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("the module's files are larger than {} bytes together (reached at "
                            "\"{}\"); name in .terraformignore what is not part of the module",
                            walk.limits.unpacked_bytes, Printable(path)));
  }
  walk.files.push_back(std::move(file));
  return {};
}

// Rules come before types: whatever .terraformignore names may be of any type.
Status AddChild(Walk& walk, const Pending& folder, std::string_view child) {
  if (child == "." || child == ".." || child == ".git" || child == ".terraform") return {};
  std::string path =
      folder.path.empty() ? std::string(child) : fmt::format("{}/{}", folder.path, child);
  struct stat info{};
  if (::fstatat(walk.root, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return CannotRead(path, errno);
  }
  bool directory = S_ISDIR(info.st_mode);
  bool excluded = walk.rules.Excludes(path, directory, folder.excluded);
  if (directory) {
    if (excluded && !walk.rules.has_negations()) return {};
    ++walk.folders;
    walk.pending.push_back({std::move(path), excluded});
  } else if (excluded) {
    return {};
  } else if (S_ISREG(info.st_mode)) {
    RETURN_IF_ERROR(AddFile(walk, path, info));
  } else if (S_ISLNK(info.st_mode)) {
    return RefuseLink(walk.root, path);
  } else {
    return Invalid(
        fmt::format("\"{}\" is a device, pipe or socket; remove it, or name it in .terraformignore",
                    Printable(path)));
  }
  if (walk.files.size() > walk.limits.entries || walk.folders > walk.limits.entries) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("the folder holds more than {} files; name in .terraformignore what is "
                            "not part of the module",
                            walk.limits.entries));
  }
  return {};
}

Status ReadFolder(Walk& walk, const Pending& folder) {
  const char* path = folder.path.empty() ? "." : folder.path.c_str();
  int fd = ::openat(walk.root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return CannotRead(folder.path, errno);
  Directory directory(::fdopendir(fd));
  if (!directory) {
    ::close(fd);
    return CannotRead(folder.path, errno);
  }
  while (true) {
    errno = 0;
    const dirent* child = ::readdir(directory.get());
    if (child == nullptr && errno != 0) return CannotRead(folder.path, errno);
    if (child == nullptr) return {};
    RETURN_IF_ERROR(AddChild(walk, folder, child->d_name));
  }
}

}  // namespace

Failure CannotRead(std::string_view name, int error_number) {
  return Invalid(fmt::format(
      "cannot read \"{}\": {}; make it readable, or name it in .terraformignore",
      Printable(name.empty() ? "." : name), std::generic_category().message(error_number)));
}

Result<UniqueFd> OpenModuleFolder(const std::filesystem::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) return fd;
  int error = errno;
  std::string_view mend = error == ENOTDIR  ? "give a folder, a .tar.gz or a .zip"
                          : error == ENOENT ? "check the path"
                                            : "make it readable";
  return Invalid(fmt::format("cannot open the folder \"{}\": {}; {}", Printable(folder.string()),
                             std::generic_category().message(error), mend));
}

Result<std::vector<ArchiveEntry>> WalkModuleFolder(int folder, const ArchiveLimits& limits) {
  ASSIGN_OR_RETURN(std::string ignore, ReadIgnoreFile(folder));
  Walk walk{.root = folder, .limits = limits, .rules = IgnoreRules::Parse(ignore)};
  walk.pending.push_back({"", false});
  while (!walk.pending.empty()) {
    Pending next = std::move(walk.pending.back());
    walk.pending.pop_back();
    RETURN_IF_ERROR(ReadFolder(walk, next));
  }
  std::ranges::sort(walk.files, {}, &ArchiveEntry::name);
  return std::move(walk.files);
}

Result<UniqueFd> OpenModuleFile(int folder, const ArchiveEntry& file) {
  UniqueFd fd(::openat(folder, file.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return CannotRead(file.name, errno);
  return fd;
}

}  // namespace koya
