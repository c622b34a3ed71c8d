#include "archive/module_package.h"

#include "archive/archive_format.h"
#include "archive/archive_limits.h"
#include "archive/module_layout.h"
#include "archive/packed_file.h"
#include "archive/refusal.h"
#include "archive/tar_reader.h"
#include "archive/zip_directory.h"
#include "archive/zip_reader.h"

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

}  // namespace koya
