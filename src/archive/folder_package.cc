// PackModuleFolder: the publisher's side.
#include "archive/module_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"
#include "archive/module_layout.h"
#include "archive/tar_writer.h"
#include "archive/terraform_ignore.h"
#include "base/file.h"
#include "base/file_io.h"
#include "base/handle.h"
#include "base/result.h"
#include "base/text.h"

namespace koya {
namespace {

struct WalkedFile {
  ArchiveEntry entry;
  std::string source;  // path of its bytes in the folder; differs from the name for copies of links
};

struct WalkedFolder {
  std::vector<WalkedFile> files;    // sorted bytewise by name
  std::vector<std::string> copied;  // the links among them, as "a/x.tf", or "a/x" for a folder
};

constexpr const char* kIgnoreFile = ".terraformignore";
constexpr std::size_t kMaxIgnoreFile = 1 << 20;

Failure Invalid(std::string message) { return Fail(ErrorKind::kInvalid, std::move(message)); }

// "cannot read "main.tf": Permission denied", with the remedy.
Failure CannotRead(std::string_view name, int error_number) {
  return Invalid(fmt::format(
      "cannot read \"{}\": {}; make it readable, or name it in .terraformignore",
      Printable(name.empty() ? "." : name), std::generic_category().message(error_number)));
}

using Directory = Handle<DIR, ::closedir>;

// A folder still to be read, and whether the rules exclude it.
struct Pending {
  std::string path;    // in the archive
  std::string source;  // where it is; the same but behind links
  bool excluded;
  std::vector<std::string> left = {};  // where the links lie that led here
};

// State of one walk. Paths are opened relative to `root`: where the folder lies, and how long its
// own path is, do not matter. Folders wait in a list, so depth costs no stack.
struct Walk {
  int root;
  std::filesystem::path real_root;  // for links
  const ArchiveLimits& limits;
  IgnoreRules rules;
  std::vector<Pending> pending{};
  WalkedFolder found{};
  std::uint64_t folders = 0;
  std::uint64_t bytes = 0;
};

std::string Below(std::string_view folder, std::string_view child) {
  return folder.empty() ? std::string(child) : fmt::format("{}/{}", folder, child);
}

// Whether `folder` is `path`, or holds it at any depth.
bool Holds(std::string_view folder, std::string_view path) {
  return folder.empty() || path == folder ||
         (path.starts_with(folder) && path[folder.size()] == '/');
}

Result<std::string> ReadIgnoreFile(int root) {
  UniqueFd file(::openat(root, kIgnoreFile, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    // A link that leads nowhere is left to the walk, which says what to do about links.
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

Failure RefuseLink(const Walk& walk, const std::string& source, const std::string& path,
                   std::string_view why) {
  std::array<char, 4096> target{};
  ssize_t size = ::readlinkat(walk.root, source.c_str(), target.data(), target.size());
  std::string_view text(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return Invalid(
      fmt::format("\"{}\" is a symbolic link to \"{}\", {}, or name the link in "
                  ".terraformignore",
                  Printable(path), Printable(text, 200), why));
}

// Where the link at `source` leads to, from the root of the folder. Fails: kInvalid, naming the
// link by its `path`.
Result<std::string> FollowLink(const Walk& walk, const std::string& source,
                               const std::string& path) {
  std::error_code failed;
  const std::string target = std::filesystem::canonical(walk.real_root / source, failed).string();
  if (failed == std::errc::too_many_symbolic_link_levels) {
    return RefuseLink(walk, source, path, "which is circular; remove it");
  }
  if (failed == std::errc::no_such_file_or_directory || failed == std::errc::not_a_directory ||
      failed == std::errc::filename_too_long) {
    return RefuseLink(walk, source, path, "which does not exist; correct the target");
  }
  if (failed) return CannotRead(path, failed.value());
  const std::string& root = walk.real_root.native();
  if (target == root) return std::string();
  const std::string prefix = root.ends_with('/') ? root : root + '/';
  if (target.starts_with(prefix)) return target.substr(prefix.size());
  return RefuseLink(walk, source, path,
                    "which is outside of the module's folder, so clients do not have it; replace "
                    "the link by a copy");
}

// Names and sizes are held to the server's rules here, before anything is read or sent.
Status AddFile(Walk& walk, const std::string& path, std::string source, const struct stat& info) {
  ArchiveEntry file{.name = path,
                    .size = static_cast<std::uint64_t>(info.st_size),
                    .executable = (info.st_mode & S_IXUSR) != 0};
  Result<std::string> name = ParseEntryName(path);
  if (!name) return Invalid(std::move(name).error().message);
  walk.bytes += file.size;
  if (walk.bytes > walk.limits.unpacked_bytes) {
    return Fail(
        ErrorKind::kTooLarge,
        fmt::format("the module's files are larger than {} bytes together (reached at \"{}\"); "
                    "list files that are not part of the module in .terraformignore",
                    walk.limits.unpacked_bytes, Printable(path)));
  }
  walk.found.files.push_back({std::move(file), std::move(source)});
  return {};
}

// A folder is read in place of a link to it, which would never end where it holds the link.
Status AddFolderCopy(Walk& walk, const Pending& folder, const std::string& link, std::string path,
                     std::string target) {
  const bool excluded = walk.rules.Excludes(path, true, folder.excluded);
  if (excluded && !walk.rules.has_negations()) return {};
  std::vector<std::string> left = folder.left;
  left.push_back(folder.source);
  for (const std::string& each : left) {
    if (!Holds(target, each)) continue;
    return RefuseLink(walk, link, path,
                      "which is circular, because it contains the link; remove it");
  }
  ++walk.folders;
  walk.found.copied.push_back(path);
  walk.pending.push_back({std::move(path), std::move(target), excluded, std::move(left)});
  return {};
}

Status AddCopy(Walk& walk, const Pending& folder, const std::string& link, std::string path) {
  ASSIGN_OR_RETURN(std::string target, FollowLink(walk, link, path));
  struct stat info{};
  const char* at = target.empty() ? "." : target.c_str();
  if (::fstatat(walk.root, at, &info, AT_SYMLINK_NOFOLLOW) != 0) return CannotRead(path, errno);
  if (S_ISDIR(info.st_mode)) {
    return AddFolderCopy(walk, folder, link, std::move(path), std::move(target));
  }
  if (!S_ISREG(info.st_mode)) {
    return RefuseLink(walk, link, path, "which is a device, pipe or socket; remove it");
  }
  walk.found.copied.push_back(path);
  return AddFile(walk, path, std::move(target), info);
}

// Rules come before types: whatever .terraformignore names may be of any type.
Status AddChild(Walk& walk, const Pending& folder, std::string_view child) {
  if (child == "." || child == ".." || child == ".git" || child == ".terraform") return {};
  std::string path = Below(folder.path, child);
  std::string source = Below(folder.source, child);
  struct stat info{};
  if (::fstatat(walk.root, source.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return CannotRead(path, errno);
  }
  bool directory = S_ISDIR(info.st_mode);
  bool excluded = walk.rules.Excludes(path, directory, folder.excluded);
  if (directory) {
    if (excluded && !walk.rules.has_negations()) return {};
    ++walk.folders;
    walk.pending.push_back({std::move(path), std::move(source), excluded, folder.left});
  } else if (excluded) {
    return {};
  } else if (S_ISREG(info.st_mode)) {
    RETURN_IF_ERROR(AddFile(walk, path, std::move(source), info));
  } else if (S_ISLNK(info.st_mode)) {
    RETURN_IF_ERROR(AddCopy(walk, folder, source, std::move(path)));
  } else {
    return Invalid(
        fmt::format("\"{}\" is a device, pipe or socket; remove it, or name it in .terraformignore",
                    Printable(path)));
  }
  if (walk.found.files.size() > walk.limits.entries || walk.folders > walk.limits.entries) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("the folder has more than {} files; list files that are not part of "
                            "the module in .terraformignore",
                            walk.limits.entries));
  }
  return {};
}

Status ReadFolder(Walk& walk, const Pending& folder) {
  const char* path = folder.source.empty() ? "." : folder.source.c_str();
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

// Opens the folder for WalkModuleFolder and OpenModuleFile. Fails: kInvalid.
Result<UniqueFd> OpenModuleFolder(const std::filesystem::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) return fd;
  int error = errno;
  std::string_view fix = error == ENOTDIR  ? "use a folder, a .tar.gz or a .zip"
                         : error == ENOENT ? "check the path"
                                           : "make it readable";
  return Invalid(fmt::format("cannot open the folder \"{}\": {}; {}", Printable(folder.string()),
                             std::generic_category().message(error), fix));
}

// The files below `folder`, an open descriptor of `path`, without .git, .terraform and paths
// excluded by the root's .terraformignore. A symbolic link is replaced by a copy of its target
// within the folder: a file, or all of a folder. Fails: kInvalid for links that lead elsewhere or
// in a circle, special files, names that archives may not have, and unreadable files, each named;
// kTooLarge over the limits.
Result<WalkedFolder> WalkModuleFolder(int folder, const std::filesystem::path& path,
                                      const ArchiveLimits& limits) {
  ASSIGN_OR_RETURN(std::string ignore, ReadIgnoreFile(folder));
  std::error_code failed;
  std::filesystem::path real_root = std::filesystem::canonical(path, failed);
  if (failed) return CannotRead("", failed.value());
  Walk walk{.root = folder,
            .real_root = std::move(real_root),
            .limits = limits,
            .rules = IgnoreRules::Parse(ignore)};
  walk.pending.push_back({.path = "", .source = "", .excluded = false});
  while (!walk.pending.empty()) {
    Pending next = std::move(walk.pending.back());
    walk.pending.pop_back();
    RETURN_IF_ERROR(ReadFolder(walk, next));
  }
  std::ranges::sort(walk.found.files, {},
                    [](const WalkedFile& file) -> const std::string& { return file.entry.name; });
  std::ranges::sort(walk.found.copied);
  return std::move(walk.found);
}

// Opens a file that the walk found. Fails: kInvalid.
Result<UniqueFd> OpenModuleFile(int folder, const WalkedFile& file) {
  UniqueFd fd(
      ::openat(folder, file.source.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return CannotRead(file.entry.name, errno);
  return fd;
}

// The rules the server will apply, told before anything is sent.
Status CheckFiles(const std::vector<WalkedFile>& files, const std::filesystem::path& folder) {
  ModuleLayout layout;
  for (const WalkedFile& file : files) layout.Add(file.entry);
  if (Status names = layout.CheckNames(); !names) {
    return Fail(ErrorKind::kInvalid, std::move(names).error().message);
  }
  if (Result<std::string> module = layout.FindModule(); module && module->empty()) return {};
  return FailInvalid(
      "the folder \"{}\" has no .tf, .tofu, .tf.json or .tofu.json file at its "
      "root, nor in a folder below \"modules\"; use the module's own folder",
      Printable(folder.string()));
}

Status PackFile(int folder, const WalkedFile& walked, std::span<std::byte> buffer,
                TarWriter& writer) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenModuleFile(folder, walked));
  const ArchiveEntry& file = walked.entry;
  RETURN_IF_ERROR(writer.BeginFile(file));
  std::uint64_t total = 0;
  while (true) {
    auto got = ReadSome(fd.get(), buffer);
    if (!got) return CannotRead(file.name, got.error());
    total += *got;
    if (total > file.size || (*got == 0 && total < file.size)) {
      return FailInvalid(
          "\"{}\" changed while it was packed; try again "
          "when nothing writes to it",
          Printable(file.name));
    }
    if (*got == 0) return {};
    RETURN_IF_ERROR(writer.Content(buffer.first(*got)));
  }
}

}  // namespace

Result<FolderPackage> PackModuleFolder(const std::filesystem::path& folder,
                                       const ArchiveLimits& limits, const ByteSink& sink) {
  ASSIGN_OR_RETURN(UniqueFd root, OpenModuleFolder(folder));
  ASSIGN_OR_RETURN(WalkedFolder walked, WalkModuleFolder(root.get(), folder, limits));
  RETURN_IF_ERROR(CheckFiles(walked.files, folder));
  TarWriter writer(sink);
  FolderPackage package{.copied_links = std::move(walked.copied)};
  std::vector<std::byte> buffer(64 << 10);
  for (const WalkedFile& file : walked.files) {
    RETURN_IF_ERROR(PackFile(root.get(), file, buffer, writer));
    ++package.files;
    package.unpacked_bytes += file.entry.size;
  }
  RETURN_IF_ERROR(writer.Finish());
  return package;
}

}  // namespace koya
