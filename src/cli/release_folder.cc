#include "cli/release_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "domain/attachment.h"
#include "domain/protocol_version.h"

namespace koya::cli {
namespace {

using Kind = ReleaseFile::Kind;

// Far more than a release has; it ends the reading of a folder named by mistake.
constexpr std::size_t kMaxEntries = 20'000;
constexpr std::size_t kNamesInNote = 6;
constexpr std::string_view kReleasePrefix = "terraform-provider-";
// Where GoReleaser projects keep the manifest; a release has it under another name.
constexpr std::string_view kManifestSource = "terraform-registry-manifest.json";

struct Entry {
  std::string name;
  std::uint64_t size = 0;
};

Failure Refuse(std::string message) { return Fail(ErrorKind::kInvalid, std::move(message)); }

std::string Names(std::vector<std::string> names) {
  for (std::string& name : names) name = Printable(name, 260);
  return Listed(names, kNamesInNote);
}

// The regular files, by name. GoReleaser's folders of unpacked builds are passed over.
Result<std::vector<Entry>> ListFiles(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) {
    return Refuse(fmt::format(
        "{} is not a folder: use the folder with the release's zips, usually GoReleaser's dist",
        path.string()));
  }
  std::vector<Entry> files;
  std::size_t entries = 0;
  std::filesystem::directory_iterator each(path, failed);
  for (; !failed && each != std::filesystem::directory_iterator(); each.increment(failed)) {
    if (++entries > kMaxEntries) {
      return Refuse(fmt::format("{} has more than {} files: is it the folder of one release?",
                                path.string(), kMaxEntries));
    }
    std::error_code vanished;
    if (!each->is_regular_file(vanished)) continue;
    std::uint64_t size = each->file_size(vanished);
    if (!vanished) files.push_back({each->path().filename().string(), size});
  }
  if (failed) return Refuse(fmt::format("cannot read {}: {}", path.string(), failed.message()));
  std::ranges::sort(files, {}, &Entry::name);
  return files;
}

// Zips of the provider, whatever their version.
std::set<std::string> VersionsOf(const std::vector<Entry>& files, const ProviderAddress& address) {
  std::set<std::string> versions;
  for (const Entry& file : files) {
    std::optional<std::string> version = VersionInReleaseFile(file.name, address.type());
    if (version && file.name.ends_with(".zip")) versions.insert(*std::move(version));
  }
  return versions;
}

Failure NoPackage(const ReleaseQuestion& question, const std::vector<Entry>& files) {
  std::vector<std::string> others;
  for (const Entry& file : files) {
    if (file.name.starts_with(kReleasePrefix) && file.name.ends_with(".zip"))
      others.push_back(file.name);
  }
  std::string version = question.version ? question.version->ToString() : "VERSION";
  return Refuse(fmt::format(
      "{} has no {}{}_{}_OS_ARCH.zip: {}", question.path.string(), kReleasePrefix,
      question.address.type(), version,
      others.empty() ? std::string("use the folder that GoReleaser fills, usually dist")
                     : fmt::format("it has other zips ({}); check the address and the version",
                                   Names(others))));
}

// The version that was given, or else the one that stands in the zips' names.
Result<Version> ChooseVersion(const ReleaseQuestion& question, const std::vector<Entry>& files) {
  if (question.version) return *question.version;
  std::set<std::string> versions = VersionsOf(files, question.address);
  if (versions.empty()) return NoPackage(question, files);
  if (versions.size() > 1) {
    return Refuse(
        fmt::format("{} has several versions: {}. Name the one to publish after the address",
                    question.path.string(), Names({versions.begin(), versions.end()})));
  }
  Result<Version> version = Version::Parse(*versions.begin());
  if (!version) {
    return Refuse(
        fmt::format("the zips in {} are not named for a version that can be published: {}",
                    question.path.string(), version.error().message));
  }
  return version;
}

// Result of one pass over the names: files of the release, and names that only look like it.
struct Sorted {
  std::vector<FolderFile> taken;
  std::vector<std::string> left_out;
  std::vector<std::string> refused;  // why, for zips of this version that no client would ask for
};

Sorted SortFiles(const std::vector<Entry>& files, const ProviderAddress& address,
                 const Version& version) {
  Sorted sorted;
  for (const Entry& file : files) {
    if (!file.name.starts_with(kReleasePrefix) || ParseAttachmentName(file.name)) continue;
    Result<ReleaseFile> parsed = ParseReleaseFile(file.name, address, version);
    bool of_version = VersionInReleaseFile(file.name, address.type()) == version.ToString();
    if (parsed) {
      sorted.taken.push_back({file.name, file.size, parsed->kind});
    } else if (of_version && file.name.ends_with(".zip")) {
      sorted.refused.push_back(parsed.error().message);
    } else {
      sorted.left_out.push_back(file.name);
    }
  }
  return sorted;
}

bool Has(const std::vector<FolderFile>& files, Kind kind) {
  return std::ranges::find(files, kind, &FolderFile::kind) != files.end();
}

// The server makes them with --sign, so those that are there would only be in the way.
void DropSignedFiles(std::vector<FolderFile>& files, std::vector<std::string>& notes) {
  std::vector<std::string> dropped;
  for (const FolderFile& file : files) {
    if (file.kind == Kind::kSums || file.kind == Kind::kSignature) dropped.push_back(file.name);
  }
  std::erase_if(files, [](const FolderFile& file) {
    return file.kind == Kind::kSums || file.kind == Kind::kSignature;
  });
  if (!dropped.empty()) {
    notes.push_back(
        fmt::format("--sign: the server creates its own; not sent: {}", Names(dropped)));
  }
}

// A release has one signature. Of several, the one that needs no conversion.
void KeepOneSignature(std::vector<FolderFile>& files, std::vector<std::string>& notes) {
  auto rank = [](const FolderFile& file) {
    return file.name.ends_with(".sig") ? 0 : file.name.ends_with(".asc") ? 1 : 2;
  };
  const FolderFile* best = nullptr;
  for (const FolderFile& file : files) {
    if (file.kind == Kind::kSignature && (best == nullptr || rank(file) < rank(*best))) {
      best = &file;
    }
  }
  if (best == nullptr) return;
  std::string kept = best->name;
  std::vector<std::string> dropped;
  for (const FolderFile& file : files) {
    if (file.kind == Kind::kSignature && file.name != kept) dropped.push_back(file.name);
  }
  if (dropped.empty()) return;
  std::erase_if(files, [&](const FolderFile& file) {
    return file.kind == Kind::kSignature && file.name != kept;
  });
  notes.push_back(fmt::format("several signatures: {} is sent, {} is not", kept, Names(dropped)));
}

Status CheckSigned(const ReleaseQuestion& question, const Version& version,
                   const std::vector<FolderFile>& files) {
  std::string folder = question.path.string();
  std::string sums = SumsFileName(question.address, version);
  std::string sign = fmt::format("gpg --detach-sign {}", (question.path / sums).string());
  constexpr std::string_view kOther = "or let the server create and sign it: --sign";
  if (!Has(files, Kind::kSums)) {
    return Refuse(
        fmt::format("{0} has no {1}: create it there and sign it (sha256sum *.zip > {1}; gpg "
                    "--detach-sign {1}), {2}",
                    folder, sums, kOther));
  }
  if (!Has(files, Kind::kSignature)) {
    return Refuse(
        fmt::format("{} is not signed: there is no {}.sig beside it. Sign it with a key "
                    "that the namespace has ({}), {}",
                    sums, sums, sign, kOther));
  }
  return {};
}

// Files that would be refused or missed when everything had been sent.
Status CheckFiles(const ReleaseQuestion& question, const Sorted& sorted) {
  if (!sorted.refused.empty()) {
    std::string reasons;
    for (const std::string& reason : sorted.refused) reasons += "\n  - " + reason;
    return Refuse(fmt::format("{} has zips that cannot be published; rename or remove them:{}",
                              question.path.string(), reasons));
  }
  for (const FolderFile& file : sorted.taken) {
    if (file.size == 0) {
      return Refuse(fmt::format("{} is empty: build the release again",
                                (question.path / file.name).string()));
    }
  }
  return {};
}

// The manifest under its name in the project: GoReleaser leaves it there, beside dist.
std::optional<FolderFile> FindManifestSource(const std::filesystem::path& dist, std::string name) {
  std::error_code failed;
  std::filesystem::path folder = std::filesystem::absolute(dist, failed).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "dist/"
  for (const std::filesystem::path& place : {dist, folder.parent_path()}) {
    std::filesystem::path source = place / kManifestSource;
    if (!std::filesystem::is_regular_file(source, failed)) continue;
    std::uint64_t size = std::filesystem::file_size(source, failed);
    if (failed) continue;
    return FolderFile{.name = std::move(name),
                      .size = size,
                      .kind = Kind::kManifest,
                      .source = std::move(source)};
  }
  return std::nullopt;
}

// Whether the line of `name` is there; the server reads the document in earnest.
bool SumsList(const std::filesystem::path& sums, std::string_view name) {
  std::error_code failed;
  constexpr std::uintmax_t kMostBytes = 1 << 20;  // what the server takes
  if (std::filesystem::file_size(sums, failed) > kMostBytes || failed) return false;
  std::ifstream stream(sums, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with(fmt::format("  {}", name))) return true;
  }
  return false;
}

// SHA256SUMS of GoReleaser lists the manifest under the release's name, but dist does not hold it,
// and without it a framework's provider would be published as one of protocol 5.0.
void AddManifest(const ReleaseQuestion& question, const Version& version,
                 std::vector<FolderFile>& files, std::vector<std::string>& notes) {
  if (question.protocols_given || Has(files, Kind::kManifest)) return;
  std::string name = ManifestFileName(question.address, version);
  std::optional<FolderFile> manifest = FindManifestSource(question.path, name);
  if (!manifest) {
    notes.push_back(
        fmt::format("neither {} nor --protocols is given: the release will list protocol {}", name,
                    kDefaultProtocol));
    return;
  }
  std::string sums = SumsFileName(question.address, version);
  if (!question.sign && !SumsList(question.path / sums, name)) {
    notes.push_back(
        fmt::format("{} is not sent, because {} does not list it as {} (GoReleaser: "
                    "checksum.extra_files): use --protocols if the provider does not support {}",
                    manifest->source.string(), sums, name, kDefaultProtocol));
    return;
  }
  notes.push_back(fmt::format("{} is sent as {}", manifest->source.string(), name));
  files.push_back(*std::move(manifest));
  std::ranges::sort(files, {}, &FolderFile::name);
}

}  // namespace

Result<ReleaseFolder> ReadReleaseFolder(const ReleaseQuestion& question) {
  ASSIGN_OR_RETURN(std::vector<Entry> files, ListFiles(question.path));
  ASSIGN_OR_RETURN(Version version, ChooseVersion(question, files));
  Sorted sorted = SortFiles(files, question.address, version);
  RETURN_IF_ERROR(CheckFiles(question, sorted));
  ReleaseFolder folder{.path = question.path, .version = version, .files = {}, .notes = {}};
  if (!Has(sorted.taken, Kind::kPackage)) return NoPackage(question, files);
  if (question.sign) {
    DropSignedFiles(sorted.taken, folder.notes);
  } else {
    KeepOneSignature(sorted.taken, folder.notes);
    RETURN_IF_ERROR(CheckSigned(question, version, sorted.taken));
  }
  if (!sorted.left_out.empty()) {
    folder.notes.push_back(fmt::format("not part of {} {}, and not sent: {}",
                                       question.address.ToString(), version.ToString(),
                                       Names(sorted.left_out)));
  }
  AddManifest(question, version, sorted.taken, folder.notes);
  folder.files = std::move(sorted.taken);
  for (const Entry& file : files) {
    if (!ParseAttachmentName(file.name) || file.size == 0) continue;
    folder.attachments.push_back(
        {.name = file.name, .size = file.size, .source = question.path / file.name});
  }
  return folder;
}

}  // namespace koya::cli
