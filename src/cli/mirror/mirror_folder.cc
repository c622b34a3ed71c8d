#include "cli/mirror/mirror_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/file_io.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/api/local_file.h"
#include "domain/archive_kind.h"
#include "domain/digest.h"
#include "domain/release_file.h"
#include "wire/mirror.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "terraform-provider-";
constexpr std::string_view kSums = "_SHA256SUMS";
constexpr std::string_view kZip = ".zip";
constexpr std::uintmax_t kMostDocument = 1 << 20;  // what servers take
constexpr std::size_t kMostEntries = 100'000;      // of one folder

std::string Shown(const fs::path& path) { return Printable(path.string(), 1000); }

// The folder's entries by name. Links are left out and noted: clients pass most of them over too.
class Walk {
 public:
  explicit Walk(MirrorFolder& found) : found_(found) {}

  struct Entry {
    fs::path path;
    std::string name;
    bool folder = false;
    std::uint64_t size = 0;
  };

  std::vector<Entry> List(const fs::path& folder) {
    std::vector<Entry> entries;
    std::error_code failed;
    fs::directory_iterator each(folder, failed);
    for (; !failed && each != fs::directory_iterator(); each.increment(failed)) {
      if (entries.size() >= kMostEntries) {
        Problem(folder, "it has too many entries for a mirror's folder");
        break;
      }
      Take(*each, entries);
    }
    if (failed) Problem(folder, "it cannot be read: " + failed.message());
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
  }

  void Problem(const fs::path& path, std::string_view why) {
    found_.problems.push_back(fmt::format("{}: {}", Shown(path), why));
  }
  void Note(const fs::path& path, std::string_view why) {
    found_.notes.push_back(fmt::format("{}: {}", Shown(path), why));
  }

 private:
  void Take(const fs::directory_entry& entry, std::vector<Entry>& entries) {
    std::error_code failed;
    if (entry.is_symlink(failed)) {
      Note(entry.path(), "a symbolic link, which is not followed");
      return;
    }
    Entry taken{entry.path(), entry.path().filename().string(), entry.is_directory(failed)};
    if (!taken.folder && !entry.is_regular_file(failed)) return;
    if (!taken.folder) taken.size = entry.file_size(failed);
    if (!failed) entries.push_back(std::move(taken));
  }

  MirrorFolder& found_;
};

Result<std::string> ReadDocument(const fs::path& path) {
  std::error_code failed;
  if (fs::file_size(path, failed) > kMostDocument || failed) {
    return FailInvalid("{} cannot be read, or is larger than 1 MiB: it isn't a release document",
                       Shown(path));
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) return Fail(ErrorKind::kInvalid, "cannot read " + Shown(path));
  return std::move(text).str();
}

// ---- providers

// HOST/NAMESPACE/TYPE, read.
class ProviderFolderReader {
 public:
  ProviderFolderReader(Walk& walk, MirrorFolder& found, HostName host, ProviderAddress address)
      : walk_(walk), found_(found), host_(std::move(host)), address_(std::move(address)) {}

  void Read(const fs::path& folder) {
    folder_ = folder;
    entries_ = walk_.List(folder);
    for (const Walk::Entry& entry : entries_) {
      if (entry.folder) {
        RefuseUnpacked(entry);
      } else if (AsciiLower(entry.name).ends_with(kZip)) {
        TakePackage(entry);
      } else if (entry.name.ends_with(kSums)) {
        TakeDocuments(entry);
      }
    }
  }

 private:
  bool Has(std::string_view name) const {
    return std::ranges::find(entries_, name, &Walk::Entry::name) != entries_.end();
  }

  void RefuseUnpacked(const Walk::Entry& entry) {
    for (const Walk::Entry& platform : walk_.List(entry.path)) {
      if (!platform.folder) continue;
      walk_.Problem(platform.path,
                    "unpacked folders of a filesystem mirror have no zip to serve; get the zips "
                    "with \"providers mirror\", or from the registry");
    }
  }

  // Clients fold the whole name to lower case, so a prerelease "RC1" is "rc1" to them; in an export
  // the author's own sums say how it is spelled.
  Result<Version> ReadVersion(const std::string& spelled) const {
    Result<Version> exact = Version::Parse(spelled);
    if (exact && Has(SumsFileName(address_, *exact))) return exact;
    return Version::Parse(AsciiLower(spelled));
  }

  void TakePackage(const Walk::Entry& entry) {
    std::string start = fmt::format("{}{}_", kPrefix, address_.type());
    if (!EqualsIgnoreCase(std::string_view(entry.name).substr(0, start.size()), start)) {
      walk_.Problem(entry.path, fmt::format("a package here must be named {}VERSION_OS_ARCH.zip; "
                                            "clients would not find it either",
                                            start));
      return;
    }
    std::vector<std::string> parts{""};
    for (char c : entry.name.substr(start.size(), entry.name.size() - start.size() - kZip.size())) {
      if (c == '_') {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
    if (parts.size() < 3) {
      walk_.Problem(entry.path, "its name has no VERSION_OS_ARCH");
      return;
    }
    Result<Version> version = ReadVersion(parts[0]);
    Result<Platform> platform = Platform::FromParts(AsciiLower(parts[1]), AsciiLower(parts[2]));
    if (!version) return walk_.Problem(entry.path, version.error().message);
    if (!platform) return walk_.Problem(entry.path, platform.error().message);
    found_.packages.push_back(
        {{host_, address_, *std::move(version)}, *std::move(platform), entry.path, entry.size});
  }

  void TakeDocuments(const Walk::Entry& entry) {
    std::string start = fmt::format("{}{}_", kPrefix, address_.type());
    if (!entry.name.starts_with(start)) return;
    Result<Version> version = Version::Parse(
        entry.name.substr(start.size(), entry.name.size() - start.size() - kSums.size()));
    if (!version) return walk_.Problem(entry.path, version.error().message);
    std::string keys = KeysFileName(address_, *version);
    std::string signature = SignatureFileName(address_, *version);
    if (!Has(keys) || !Has(signature)) {
      walk_.Note(entry.path,
                 fmt::format("left out, because its signature cannot be checked without {} and {}",
                             signature, keys));
      return;
    }
    Result<FoundDocuments> documents = ReadDocuments(entry.path, *version);
    if (!documents) return walk_.Problem(entry.path, documents.error().message);
    found_.documents.push_back(*std::move(documents));
  }

  Result<FoundDocuments> ReadDocuments(const fs::path& sums, const Version& version) const {
    FoundDocuments found{.release = {host_, address_, version}, .documents = {}, .path = sums};
    wire::ReleaseDocuments& documents = found.documents;
    ASSIGN_OR_RETURN(documents.shasums, ReadDocument(sums));
    ASSIGN_OR_RETURN(documents.signature,
                     ReadDocument(folder_ / SignatureFileName(address_, version)));
    ASSIGN_OR_RETURN(std::string text, ReadDocument(folder_ / KeysFileName(address_, version)));
    ASSIGN_OR_RETURN(wire::KeysFile keys, wire::Decode<wire::KeysFile>(text));
    documents.protocols = std::move(keys.protocols);
    documents.keys = std::move(keys.keys);
    return found;
  }

  Walk& walk_;
  MirrorFolder& found_;
  HostName host_;
  ProviderAddress address_;
  fs::path folder_;
  std::vector<Walk::Entry> entries_;
};

void ReadHost(Walk& walk, MirrorFolder& found, const Walk::Entry& host_entry) {
  Result<HostName> host = HostName::ParseWire(host_entry.name);
  if (!host) return walk.Problem(host_entry.path, "not a host name: " + host.error().message);
  for (const Walk::Entry& ns : walk.List(host_entry.path)) {
    if (!ns.folder) continue;
    for (const Walk::Entry& type : walk.List(ns.path)) {
      if (!type.folder) continue;
      auto address = ProviderAddress::FromParts(ns.name, type.name);
      if (address) {
        ProviderFolderReader(walk, found, *host, *std::move(address)).Read(type.path);
      } else {
        walk.Problem(type.path, address.error().message);
      }
    }
  }
}

// ---- modules

void TakeModule(Walk& walk, MirrorFolder& found, const Walk::Entry& entry, const HostName& host,
                const ModuleAddress& address) {
  std::string_view name = entry.name;
  for (ArchiveKind kind : {ArchiveKind::kTarGz, ArchiveKind::kZip}) {
    if (!name.ends_with(Suffix(kind))) continue;
    Result<Version> version = Version::Parse(name.substr(0, name.size() - Suffix(kind).size()));
    if (!version) return walk.Problem(entry.path, version.error().message);
    FoundModule module{
        .module = {host, address, *version}, .source = {}, .path = entry.path, .size = entry.size};
    Result<std::string> text =
        ReadDocument(entry.path.parent_path() / (version->ToString() + ".json"));
    if (text)
      module.source = wire::Decode<wire::ModuleFile>(*text).value_or(wire::ModuleFile()).source;
    found.modules.push_back(std::move(module));
    return;
  }
}

// Everything `depth` folders below `folder`, with the folders' names on the way.
void Descend(Walk& walk, const fs::path& folder, std::size_t depth, std::vector<std::string>& names,
             const std::function<void(const Walk::Entry&)>& at_end) {
  for (const Walk::Entry& entry : walk.List(folder)) {
    if (depth == 0) {
      if (!entry.folder) at_end(entry);
      continue;
    }
    if (!entry.folder) continue;
    names.push_back(entry.name);
    Descend(walk, entry.path, depth - 1, names, at_end);
    names.pop_back();
  }
}

void ReadModules(Walk& walk, MirrorFolder& found, const fs::path& folder) {
  std::vector<std::string> names;
  Descend(walk, folder, 4, names, [&](const Walk::Entry& entry) {
    Result<HostName> host = HostName::ParseWire(names[0]);
    auto address = ModuleAddress::FromParts(names[1], names[2], names[3]);
    if (!host) return walk.Problem(entry.path, host.error().message);
    if (!address) return walk.Problem(entry.path, address.error().message);
    TakeModule(walk, found, entry, *host, *address);
  });
}

}  // namespace

std::string KeysFileName(const ProviderAddress& address, const Version& version) {
  return fmt::format("{}{}_{}_keys.json", kPrefix, address.type(), version.ToString());
}

Result<MirrorFolder> ReadMirrorFolder(const std::filesystem::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    return FailInvalid(
        "{} is not a folder: use the output of \"providers mirror\" or \"koya "
        "mirror export\", or the folder of a filesystem_mirror",
        Shown(folder));
  }
  MirrorFolder found;
  Walk walk(found);
  for (const Walk::Entry& entry : walk.List(folder)) {
    if (!entry.folder) continue;
    if (entry.name == kModulesFolder) {
      ReadModules(walk, found, entry.path);
    } else {
      ReadHost(walk, found, entry);
    }
  }
  return found;
}

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
