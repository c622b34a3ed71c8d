#include "archive/module_package.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/module_layout.h"
#include "archive/packed_file.h"
#include "archive/tar_reader.h"
#include "archive/zip_directory.h"
#include "archive/zip_reader.h"
#include "base/byte_sink.h"

namespace koya {
namespace {

void Count(const ArchiveEntry& entry, ModuleInspection& inspection) {
  ++inspection.entries;
  if (entry.directory) ++inspection.folders;
  inspection.unpacked_bytes += entry.size;
}

Status ScanTarGz(const PackedFile& file, const ArchiveLimits& limits, ModuleLayout& layout,
                 ModuleInspection& inspection) {
  TarReader tar(file, limits);
  while (true) {
    ASSIGN_OR_RETURN(std::optional<ArchiveEntry> entry, tar.Next());
    inspection.plain = tar.plain();
    if (!entry) return {};
    Count(*entry, inspection);
    layout.Add(*entry);
  }
}

// The directory says all about names, so they are judged before anything is unpacked.
Status ScanZip(const PackedFile& file, const ArchiveLimits& limits, ModuleLayout& layout,
               ModuleInspection& inspection) {
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries,
                   ReadZipDirectory(file, limits, LinkRule::kReport));
  for (const ZipEntry& zip : entries) {
    if (zip.entry.link != LinkKind::kNone) return RefuseEntry(zip.entry.name, kSymbolicLink);
    Count(zip.entry, inspection);
    layout.Add(zip.entry);
  }
  RETURN_IF_ERROR(layout.CheckNames());
  RETURN_IF_ERROR(layout.FindModule());
  ArchiveBudget budget(limits, file.size());
  ZipReader reader(file, budget);
  ByteSink ignore = [](std::span<const std::byte>) -> Status { return {}; };
  for (const ZipEntry& zip : entries) RETURN_IF_ERROR(reader.Read(zip, ignore));
  return {};
}

Result<ModuleInspection> Inspect(int descriptor, std::uint64_t size, const ArchiveLimits& limits,
                                 ModuleRules rules) {
  PackedFile file(descriptor, size);
  ModuleInspection inspection;
  ASSIGN_OR_RETURN(inspection.kind, DetectArchiveKind(file));
  ModuleLayout layout(rules);
  switch (inspection.kind) {
    case ArchiveKind::kTarGz:
      RETURN_IF_ERROR(ScanTarGz(file, limits, layout, inspection));
      RETURN_IF_ERROR(layout.CheckNames());
      break;
    case ArchiveKind::kZip:
      RETURN_IF_ERROR(ScanZip(file, limits, layout, inspection));
      break;
  }
  ASSIGN_OR_RETURN(inspection.top_folder, layout.FindModule());
  return inspection;
}

}  // namespace

Result<ModuleInspection> InspectModule(int descriptor, std::uint64_t size,
                                       const ArchiveLimits& limits) {
  return Inspect(descriptor, size, limits, ModuleRules::kPublished);
}

Result<ModuleInspection> InspectForeignModule(int descriptor, std::uint64_t size,
                                              const ArchiveLimits& limits) {
  return Inspect(descriptor, size, limits, ModuleRules::kForeign);
}

namespace {

// One archive's files for a visitor.
class FileVisits {
 public:
  FileVisits(const std::string& top_folder, const ModuleFileVisitor& visitor)
      : prefix_(top_folder.empty() ? std::string() : top_folder + "/"), visitor_(visitor) {}

  // Starts a file; false for entries that are not files or are outside of the module.
  bool Begin(const ArchiveEntry& entry) {
    if (entry.directory || entry.link != LinkKind::kNone) return false;
    if (!entry.name.starts_with(prefix_)) return false;
    path_ = entry.name.substr(prefix_.size());
    size_ = entry.size;
    wanted_ = visitor_.wanted(path_);
    bytes_.clear();
    return true;
  }
  void Add(std::span<const std::byte> piece) {
    if (visitor_.see) visitor_.see(piece);
    std::size_t count = std::min(piece.size(), wanted_ - bytes_.size());
    bytes_.append(reinterpret_cast<const char*>(piece.data()), count);
  }
  void End() { visitor_.take(std::move(path_), size_, std::move(bytes_)); }

  std::size_t wanted() const { return wanted_; }

 private:
  std::string prefix_;
  const ModuleFileVisitor& visitor_;
  std::string path_;
  std::string bytes_;
  std::uint64_t size_ = 0;
  std::size_t wanted_ = 0;
};

Status VisitTarGz(const PackedFile& file, const ArchiveLimits& limits, FileVisits& visits) {
  TarReader tar(file, limits, LinkRule::kReport);
  while (true) {
    ASSIGN_OR_RETURN(std::optional<ArchiveEntry> entry, tar.Next());
    if (!entry) return {};
    if (!visits.Begin(*entry)) continue;
    while (visits.wanted() > 0) {
      ASSIGN_OR_RETURN(std::span<const std::byte> piece, tar.Content());
      if (piece.empty()) break;
      visits.Add(piece);
    }
    visits.End();
  }
}

Status VisitZip(const PackedFile& file, const ArchiveLimits& limits, FileVisits& visits) {
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries,
                   ReadZipDirectory(file, limits, LinkRule::kReport));
  ArchiveBudget budget(limits, file.size());
  ZipReader reader(file, budget);
  ByteSink sink = [&](std::span<const std::byte> piece) -> Status {
    visits.Add(piece);
    return {};
  };
  for (const ZipEntry& zip : entries) {
    if (!visits.Begin(zip.entry)) continue;
    if (visits.wanted() > 0) RETURN_IF_ERROR(reader.Read(zip, sink));
    visits.End();
  }
  return {};
}

}  // namespace

Status ReadModuleFiles(int descriptor, std::uint64_t size, const ModuleInspection& inspection,
                       const ArchiveLimits& limits, const ModuleFileVisitor& visitor) {
  PackedFile file(descriptor, size);
  FileVisits visits(inspection.top_folder, visitor);
  switch (inspection.kind) {
    case ArchiveKind::kTarGz:
      return VisitTarGz(file, limits, visits);
    case ArchiveKind::kZip:
      return VisitZip(file, limits, visits);
  }
  return {};
}

}  // namespace koya
