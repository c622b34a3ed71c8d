#include "archive/provider_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "archive/archive_budget.h"
#include "archive/archive_format.h"
#include "archive/dirhash.h"
#include "archive/name_conflicts.h"
#include "archive/packed_file.h"
#include "archive/provider_layout.h"
#include "archive/zip_directory.h"
#include "archive/zip_reader.h"
#include "base/sha256.h"
#include "base/text.h"

namespace koya {
namespace {

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

}  // namespace koya
