#include "archive/provider_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"
#include "archive/packed_file.h"
#include "archive/zip_directory.h"
#include "archive/zip_reader.h"
#include "base/encoding.h"
#include "base/sha256.h"
#include "base/text.h"

namespace koya {
namespace {

constexpr std::string_view kProviderPrefix = "terraform-provider-";

// Whether clients take a file of this name for the program (OpenTofu CachedProvider,
// ExecutableFile): whatever stands behind "_" or "." does not matter to them.
bool LooksLikeBinary(std::string_view name, std::string_view wanted) {
  if (!name.starts_with(wanted)) return false;
  std::string_view rest = name.substr(wanted.size());
  return rest.empty() || rest.front() == '_' || rest.front() == '.';
}

// Whether its author can have meant it: not "terraform-provider-demo.txt".
bool IsNamedAsProgram(std::string_view name, std::string_view wanted) {
  std::string_view rest = name.substr(wanted.size());
  return rest.empty() || rest.front() == '_' || rest == ".exe";
}

// What lies where clients look, and what they would have taken elsewhere. Views into the entries.
struct Found {
  std::vector<std::string_view> binaries;
  std::vector<std::string_view> others;  // at the root
  std::string_view in_folder;
  std::string_view other_type;
};

Found Search(std::span<const ArchiveEntry> entries, std::string_view wanted) {
  Found found;
  for (const ArchiveEntry& entry : entries) {
    if (entry.directory) continue;
    std::string_view name = entry.name;
    std::size_t slash = name.rfind('/');
    if (slash != std::string_view::npos) {
      bool first = found.in_folder.empty() || name < found.in_folder;
      if (first && LooksLikeBinary(name.substr(slash + 1), wanted)) found.in_folder = name;
    } else if (LooksLikeBinary(name, wanted)) {
      found.binaries.push_back(name);
    } else {
      bool first = found.other_type.empty() || name < found.other_type;
      if (first && name.starts_with(kProviderPrefix)) found.other_type = name;
      found.others.push_back(name);
    }
  }
  std::ranges::sort(found.binaries);
  auto repeated = std::ranges::unique(found.binaries);
  found.binaries.erase(repeated.begin(), repeated.end());
  std::ranges::sort(found.others);
  return found;
}

// The first few names, quoted.
std::string Some(std::span<const std::string_view> names) {
  std::vector<std::string> quoted;
  for (std::string_view name : names) quoted.push_back(fmt::format("\"{}\"", Printable(name, 80)));
  return Listed(quoted, 4);
}

std::string DescribeMissing(const Found& found, std::string_view wanted) {
  if (!found.in_folder.empty()) {
    return fmt::format(
        "the program \"{}\" lies in a folder, and clients look at the root of the zip only; pack "
        "it at the root (zip -j leaves folders out)",
        Printable(found.in_folder));
  }
  std::string missing = fmt::format(
      "no file at the root of the zip is named \"{0}\" or \"{0}_…\", which is what clients run",
      wanted);
  if (!found.other_type.empty()) {
    return fmt::format(
        "{}; \"{}\" is named for another provider: rename it, or publish it as that provider",
        missing, Printable(found.other_type));
  }
  if (found.others.empty()) return missing + "; pack the program at the root";
  return fmt::format("{}; there is {}: build the program under that name", missing,
                     Some(found.others));
}

// The file at the root that clients run as provider `type`: of those named
// "terraform-provider-TYPE", alone or followed by "_…" or ".…", the first bytewise. "" when there
// is none. Faults (none, several, one that cannot be the intended one) are added to `problems`, as
// sentences that name the files found instead.
std::string FindProviderBinary(std::span<const ArchiveEntry> entries, std::string_view type,
                               std::vector<std::string>& problems) {
  std::string wanted = fmt::format("{}{}", kProviderPrefix, type);
  Found found = Search(entries, wanted);
  if (found.binaries.empty()) {
    problems.push_back(DescribeMissing(found, wanted));
    return {};
  }
  std::string_view binary = found.binaries.front();
  if (found.binaries.size() > 1) {
    problems.push_back(fmt::format(
        "{} are all named as the program, of which clients run the first; keep one, and rename or "
        "leave out the others",
        Some(found.binaries)));
  } else if (!IsNamedAsProgram(binary, wanted)) {
    problems.push_back(fmt::format(
        "\"{}\" is what clients would run, as nothing else is named \"{}\" or \"{}_…\"; name the "
        "program so",
        Printable(binary), wanted, wanted));
  }
  return std::string(binary);
}

// Collects sentences of one kind, so that an archive of 50,000 faults gives no 50,000 sentences.
class SomeProblems {
 public:
  explicit SomeProblems(std::vector<std::string>& problems) : problems_(problems) {}
  void Add(std::string problem) {
    if (++count_ <= kShown) problems_.push_back(std::move(problem));
  }
  void Finish() {
    if (count_ <= kShown) return;
    problems_.push_back(fmt::format("{} more names are like that", count_ - kShown));
  }

 private:
  static constexpr std::uint64_t kShown = 8;
  std::vector<std::string>& problems_;
  std::uint64_t count_ = 0;
};

// Clients include entries that are not plain files with plain names in one of their two checksums
// and not in the other, so that a lock file written by one run fails the next.
void JudgeEntries(std::span<const ZipEntry> entries, std::vector<std::string>& problems) {
  std::uint64_t folders = 0;
  const ZipEntry* folder = nullptr;
  SomeProblems dotted(problems);
  for (const ZipEntry& zip : entries) {
    if (zip.entry.directory) {
      ++folders;
      if (folder == nullptr || zip.place < folder->place) folder = &zip;
    } else if (zip.stored_name != zip.entry.name) {
      dotted.Add(fmt::format(
          "entry \"{}\" begins with \"./\", which clients keep in one checksum and drop in "
          "another, so that later runs fail; pack with plain names",
          Printable(zip.stored_name)));
    }
  }
  dotted.Finish();
  if (folder == nullptr) return;
  problems.push_back(fmt::format(
      "the zip has {} (\"{}\"{}), which clients count in one checksum and not in "
      "another, so that later runs fail; pack files only: zip -D (--no-dir-entries), or GoReleaser",
      folders == 1 ? "an entry for a folder" : fmt::format("{} entries for folders", folders),
      Printable(folder->stored_name), folders == 1 ? "" : ", …"));
}

// A file below a file can be unpacked nowhere; what else is wrong with names, somewhere.
Status JudgeNames(std::span<const ArchiveEntry> entries, std::vector<std::string>& problems) {
  SomeProblems some(problems);
  RETURN_IF_ERROR(VisitNameConflicts(entries, [&](const NameConflict& conflict) -> Status {
    if (conflict.kind == NameConflict::Kind::kFileAndFolder) {
      return Fail(ErrorKind::kRefused, conflict.Describe());
    }
    some.Add(conflict.Describe());
    return {};
  }));
  some.Finish();
  return {};
}

Status JudgeDirectory(std::span<const ZipEntry> zip, std::string_view type,
                      ProviderPackageInspection& inspection) {
  std::vector<ArchiveEntry> entries;
  entries.reserve(zip.size());
  for (const ZipEntry& one : zip) entries.push_back(one.entry);
  inspection.binary = FindProviderBinary(entries, type, inspection.problems);
  JudgeEntries(zip, inspection.problems);
  return JudgeNames(entries, inspection.problems);
}

// An entry with the digest of its content.
struct Hashed {
  const ZipEntry* zip;
  Sha256Bytes digest;
};

// Unpacks every entry, in the order of the file, into nothing but its digest.
Result<std::vector<Hashed>> HashEntries(const PackedFile& file, std::span<const ZipEntry> entries,
                                        const ArchiveLimits& limits) {
  std::vector<Hashed> hashed;
  hashed.reserve(entries.size());
  ArchiveBudget budget(limits, file.size());
  ZipReader reader(file, budget);
  for (const ZipEntry& zip : entries) {
    Sha256Hasher hasher;
    RETURN_IF_ERROR(reader.Read(zip, [&](std::span<const std::byte> part) -> Status {
      hasher.Update(part);
      return {};
    }));
    hashed.push_back({&zip, hasher.Finish()});
  }
  return hashed;
}

// Over the entries, as HashZip goes: a line for each, folders too. Of entries with one name it
// reads the last, once for each of them.
std::string HashOfZip(std::vector<Hashed>& hashed) {
  std::ranges::sort(hashed, [](const Hashed& a, const Hashed& b) {
    return std::tie(a.zip->stored_name, a.zip->place) < std::tie(b.zip->stored_name, b.zip->place);
  });
  DirHash hash;
  for (std::size_t i = hashed.size(); i-- > 0;) {
    const std::string& name = hashed[i].zip->stored_name;
    bool last = i + 1 == hashed.size() || hashed[i + 1].zip->stored_name != name;
    if (!last) hashed[i].digest = hashed[i + 1].digest;
    hash.Add(name, hashed[i].digest);
  }
  return hash.Finish();
}

// Over the unpacked folder, as HashDir goes: files only, and the last of those with one path.
std::string HashOfFolder(std::vector<Hashed>& hashed) {
  std::ranges::sort(hashed, [](const Hashed& a, const Hashed& b) {
    return std::tie(a.zip->entry.name, a.zip->place) < std::tie(b.zip->entry.name, b.zip->place);
  });
  DirHash hash;
  for (std::size_t i = 0; i < hashed.size(); ++i) {
    const ArchiveEntry& entry = hashed[i].zip->entry;
    bool last = i + 1 == hashed.size() || hashed[i + 1].zip->entry.name != entry.name;
    if (last && !entry.directory) hash.Add(entry.name, hashed[i].digest);
  }
  return hash.Finish();
}

}  // namespace

Result<ProviderPackageInspection> InspectProviderPackage(int descriptor, std::uint64_t size,
                                                         std::string_view type,
                                                         const ArchiveLimits& limits) {
  PackedFile file(descriptor, size);
  RETURN_IF_ERROR(CheckIsZip(file));
  ASSIGN_OR_RETURN(const std::vector<ZipEntry> zip, ReadZipDirectory(file, limits));
  ProviderPackageInspection inspection;
  for (const ZipEntry& one : zip) {
    ++inspection.entries;
    inspection.unpacked_bytes += one.entry.size;
  }
  // The directory says all about names, so they are judged before anything is unpacked.
  RETURN_IF_ERROR(JudgeDirectory(zip, type, inspection));
  ASSIGN_OR_RETURN(std::vector<Hashed> hashed, HashEntries(file, zip, limits));
  inspection.h1.push_back(HashOfZip(hashed));
  std::string of_folder = HashOfFolder(hashed);
  if (of_folder != inspection.h1.front()) inspection.h1.push_back(std::move(of_folder));
  return inspection;
}

void DirHash::Add(std::string_view name, const Sha256Bytes& content) {
  files_.emplace_back(name, content);
}

std::string DirHash::Finish() const {
  std::vector<const File*> sorted;
  sorted.reserve(files_.size());
  for (const File& file : files_) sorted.push_back(&file);
  // std::string compares as unsigned bytes, as Go's sort.Strings does.
  std::ranges::sort(sorted, [](const File* a, const File* b) { return *a < *b; });
  Sha256Hasher hasher;
  for (const File* file : sorted) {
    hasher.Update(HexEncode(file->second));
    hasher.Update("  ");
    hasher.Update(file->first);
    hasher.Update("\n");
  }
  return "h1:" + Base64Encode(hasher.Finish());
}

}  // namespace koya
