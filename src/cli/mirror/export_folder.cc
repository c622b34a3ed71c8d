#include "cli/mirror/export_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/file_io.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/api/local_file.h"
#include "domain/digest.h"
#include "wire/mirror_files.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "koya-mirror.json";
constexpr std::uintmax_t kMostText = 16 << 20;

Status MakeFolder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return LocalFailure("cannot create the folder", folder, failed.value());
  return {};
}

// HOST/NAMESPACE/TYPE/index.json somewhere: what "providers mirror" leaves.
bool LooksLikeMirror(const fs::path& folder) {
  std::error_code failed;
  fs::recursive_directory_iterator each(folder, failed);
  for (; !failed && each != fs::recursive_directory_iterator(); each.increment(failed)) {
    if (each.depth() == 3 && each->path().filename() == "index.json") return true;
    if (each.depth() >= 3) each.disable_recursion_pending();
  }
  return false;
}

// A file on its way: gone unless it was moved to its place.
class PartFile {
 public:
  static Result<PartFile> Create(const fs::path& target) {
    RETURN_IF_ERROR(MakeFolder(target.parent_path()));
    PartFile part;
    part.path_ = target.parent_path() / ("." + target.filename().string() + ".part");
    part.fd_ = UniqueFd(::open(part.path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!part.fd_.valid()) return LocalFailure("cannot write", part.path_, errno);
    return part;
  }
  PartFile(PartFile&&) = default;
  PartFile& operator=(PartFile&&) = delete;
  ~PartFile() {
    if (fd_.valid()) ::unlink(path_.c_str());
  }

  Status Append(std::span<const std::byte> bytes) {
    int failed = WriteAll(fd_.get(), bytes);
    return failed == 0 ? Status() : LocalFailure("cannot write", path_, failed);
  }

  Status MoveTo(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) {
      return LocalFailure("cannot write", target, errno);
    }
    fd_.Reset();
    return {};
  }

 private:
  PartFile() = default;
  UniqueFd fd_;
  fs::path path_;
};

}  // namespace

Result<ExportFolder> ExportFolder::Open(fs::path folder) {
  std::error_code failed;
  bool there = fs::exists(folder, failed);
  if (there && !fs::is_directory(folder, failed)) {
    return FailInvalid("{} is not a folder", folder.string());
  }
  ExportFolder made(std::move(folder));
  bool empty = !there || fs::is_empty(made.folder_, failed);
  std::string mark = made.ReadText(made.folder_ / kMark);
  if (!mark.empty()) RETURN_IF_ERROR(wire::CheckExportMark(mark));
  if (!empty && mark.empty() && !LooksLikeMirror(made.folder_)) {
    return FailInvalid("{} is neither empty nor a mirror: use a separate folder for the export",
                       made.folder_.string());
  }
  RETURN_IF_ERROR(made.WriteText(made.folder_ / kMark, wire::EncodeExportMark()));
  return made;
}

Result<bool> ExportFolder::Has(const ExpectedFile& file) const {
  std::error_code failed;
  std::uintmax_t size = fs::file_size(file.path, failed);
  if (failed || (file.size != 0 && size != file.size)) return false;
  ASSIGN_OR_RETURN(std::string digest, FileDigest(file.path));
  return digest == file.digest;
}

Status ExportFolder::Write(const ExpectedFile& file,
                           const std::function<Status(ByteSink)>& fill) const {
  ASSIGN_OR_RETURN(PartFile part, PartFile::Create(file.path));
  Sha256Hasher hasher;
  RETURN_IF_ERROR(fill([&](std::span<const std::byte> bytes) {
    hasher.Update(bytes);
    return part.Append(bytes);
  }));
  std::string digest = Digest(hasher.Finish()).ToString();
  if (digest != file.digest) {
    return FailCorrupt(
        "the server sent other bytes ({}) than it has on record ({}): run koya mirror verify",
        digest, file.digest);
  }
  return part.MoveTo(file.path);
}

Result<bool> ExportFolder::WriteText(const fs::path& path, std::string_view text) const {
  if (ReadText(path) == text && !text.empty()) return false;
  ASSIGN_OR_RETURN(PartFile part, PartFile::Create(path));
  RETURN_IF_ERROR(part.Append(std::as_bytes(std::span(text))));
  RETURN_IF_ERROR(part.MoveTo(path));
  return true;
}

std::string ExportFolder::ReadText(const fs::path& path) const {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) > kMostText) return {};
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

}  // namespace koya::cli
