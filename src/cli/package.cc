#include "cli/package.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <span>
#include <system_error>

#include "archive/module_package.h"
#include "base/file_io.h"
#include "base/text.h"
#include "cli/api/local_file.h"

namespace koya::cli {
namespace {

// Whether a module is too large is for the server to say; these only end the packing of a folder
// that was surely named by mistake.
constexpr ArchiveLimits kPackLimits{
    .unpacked_bytes = 64ULL << 30, .ratio = 1'000'000, .entries = 1'000'000};

// A full disk may be another than the one that was meant.
Failure TemporaryFailure(std::string_view what, const std::filesystem::path& path, int number) {
  Error error = LocalFailure(what, path, number).error();
  if (error.kind == ErrorKind::kStorageFull) {
    error.message += "; free some space, or set TMPDIR to a folder with more";
  }
  return Failure(std::move(error));
}

// Packed before it is sent: the length is announced, so that a full disk or a limit shows at once,
// and a folder that cannot be packed never reaches the server.
Result<Package> PackFolder(const std::filesystem::path& path,
                           const std::filesystem::path& temporary_folder) {
  Package package;
  auto file = MakeTemporaryFile(temporary_folder);
  if (!file) {
    return TemporaryFailure("cannot create a temporary file in", temporary_folder, file.error());
  }
  package.file = *std::move(file);
  ByteSink sink = [&](std::span<const std::byte> bytes) -> Status {
    package.size += bytes.size();
    int failed = WriteAll(package.file.get(), bytes);
    if (failed == 0) return {};
    return TemporaryFailure("cannot write the packed module in", temporary_folder, failed);
  };
  ASSIGN_OR_RETURN(FolderPackage packed, PackModuleFolder(path, kPackLimits, sink));
  package.packed_files = packed.files;
  package.copied_links = std::move(packed.copied_links);
  return package;
}

// By name only, to catch a slip of the hand; the server reads the kind from the bytes.
std::optional<ArchiveKind> KindOf(const std::filesystem::path& path) {
  std::string name = AsciiLower(path.filename().string());
  if (name.ends_with(".tar.gz") || name.ends_with(".tgz")) return ArchiveKind::kTarGz;
  if (name.ends_with(".zip")) return ArchiveKind::kZip;
  return std::nullopt;
}

Result<Package> OpenArchive(const std::filesystem::path& path) {
  std::optional<ArchiveKind> kind = KindOf(path);
  if (!kind) {
    return FailInvalid(
        "{} is neither a folder nor an archive: use the module's folder, or a "
        "file that ends in .tar.gz, .tgz or .zip",
        path.string());
  }
  Package package;
  package.kind = *kind;
  package.file = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!package.file.valid() || ::fstat(package.file.get(), &status) != 0) {
    return TemporaryFailure("cannot open", path, errno);
  }
  if (!S_ISREG(status.st_mode) || status.st_size == 0) {
    return FailInvalid("{} is {}: use the module's folder, or an archive of it", path.string(),
                       S_ISREG(status.st_mode) ? "empty" : "not a regular file");
  }
  package.size = static_cast<std::uint64_t>(status.st_size);
  return package;
}

}  // namespace

std::filesystem::path TemporaryFolder(const Variables& variables) {
  std::string folder = Variable(variables, "TMPDIR");
  return folder.empty() ? "/tmp" : folder;
}

Result<Package> OpenPackage(const std::filesystem::path& path,
                            const std::filesystem::path& temporary_folder) {
  std::error_code failed;
  std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    return FailInvalid(
        "{} does not exist: use the path of the module's folder, or of an archive of it",
        path.string());
  }
  if (std::filesystem::is_directory(status)) return PackFolder(path, temporary_folder);
  return OpenArchive(path);
}

Result<inspect::ModuleContents> ReadPackage(const Package& package,
                                            const inspect::ReadOptions& options) {
  ArchiveLimits limits;
  ASSIGN_OR_RETURN(ModuleInspection inspection,
                   InspectForeignModule(package.file.get(), package.size, limits));
  inspect::FileCollector files;
  ModuleFileVisitor visitor{
      .wanted = [&](std::string_view path) { return files.Wanted(path); },
      .take = [&](std::string path, std::uint64_t size,
                  std::string bytes) { files.Add(std::move(path), size, std::move(bytes)); }};
  RETURN_IF_ERROR(ReadModuleFiles(package.file.get(), package.size, inspection, limits, visitor));
  return inspect::ReadModule(files.Take(), options);
}

}  // namespace koya::cli
