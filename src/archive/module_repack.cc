// RepackModule and RepackForeignModule: zip entries are read where they lie; a .tar.gz can only be
// read forwards, so its files are gathered in as few passes as a bounded buffer allows (one, as a
// rule).
#include <algorithm>
#include <optional>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"
#include "archive/module_package.h"
#include "archive/packed_file.h"
#include "archive/repack_plan.h"
#include "archive/tar_reader.h"
#include "archive/tar_writer.h"
#include "archive/zip_directory.h"
#include "archive/zip_reader.h"

namespace koya {
namespace {

// How much content one pass over a .tar.gz may hold in memory, for each archive that is repacked at
// the same time. A larger file is streamed.
constexpr std::uint64_t kPassBytes = 8ULL << 20;

// The entry's name with the module at the root; nothing for entries that are left out: folders, and
// files that macOS put at the top.
std::optional<ArchiveEntry> InModule(ArchiveEntry entry, std::string_view top_folder) {
  if (entry.directory || IsMacNoise(entry.name)) return std::nullopt;
  if (top_folder.empty()) return entry;
  if (entry.name.size() <= top_folder.size() || !entry.name.starts_with(top_folder) ||
      entry.name[top_folder.size()] != '/') {
    return std::nullopt;
  }
  entry.name.erase(0, top_folder.size() + 1);
  return entry;
}

void SortByName(std::vector<PlannedFile>& plan) {
  std::ranges::sort(
      plan, {}, [](const PlannedFile& planned) -> const std::string& { return planned.file.name; });
}

// ---- zip ----

Status WriteFromZip(const PackedFile& file, std::span<const ZipEntry> entries,
                    std::span<const PlannedFile> plan, ArchiveBudget& budget, TarWriter& writer) {
  ZipReader reader(file, budget);
  ByteSink content = [&](std::span<const std::byte> bytes) { return writer.Content(bytes); };
  for (const PlannedFile& planned : plan) {
    RETURN_IF_ERROR(writer.BeginFile(planned.file));
    RETURN_IF_ERROR(reader.Read(entries[planned.source], content));
  }
  return writer.Finish();
}

Status RepackZip(const PackedFile& file, std::string_view top_folder, const ArchiveLimits& limits,
                 TarWriter& writer) {
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries, ReadZipDirectory(file, limits));
  std::vector<PlannedFile> plan;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::optional<ArchiveEntry> kept = InModule(entries[i].entry, top_folder);
    if (kept) plan.push_back({*std::move(kept), i});
  }
  SortByName(plan);
  ArchiveBudget budget(limits, file.size());
  return WriteFromZip(file, entries, plan, budget, writer);
}

// A link in a zip has its target as content, so the directory's bound on names knows nothing of it:
// names are charged here again, with the targets.
Status ReadLinkTargets(const PackedFile& file, std::span<ZipEntry> entries, ArchiveBudget& budget) {
  ZipReader reader(file, budget);
  for (ZipEntry& zip : entries) {
    RETURN_IF_ERROR(budget.AddName(zip.entry.name.size()));
    if (zip.entry.link == LinkKind::kNone) continue;
    std::string target;
    ByteSink append = [&target, &budget](std::span<const std::byte> bytes) -> Status {
      if (target.size() + bytes.size() > kMaxEntryName) return RefuseArchive("has a link too long");
      RETURN_IF_ERROR(budget.AddName(bytes.size()));
      target.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return {};
    };
    RETURN_IF_ERROR(reader.Read(zip, append));
    zip.entry.target = std::move(target);
  }
  return {};
}

Result<RepackPlan> RepackForeignZip(const PackedFile& file, std::string_view folder,
                                    const ArchiveLimits& limits, ArchiveBudget& budget,
                                    TarWriter& writer) {
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries,
                   ReadZipDirectory(file, limits, LinkRule::kReport));
  RETURN_IF_ERROR(ReadLinkTargets(file, entries, budget));
  std::vector<ArchiveEntry> named;
  for (const ZipEntry& zip : entries) named.push_back(zip.entry);
  ASSIGN_OR_RETURN(RepackPlan plan, PlanForeignModule(named, folder, limits));
  RETURN_IF_ERROR(WriteFromZip(file, entries, plan.files, budget, writer));
  return plan;
}

// ---- tar.gz ----

struct TarSource {
  const PackedFile& file;
  const ArchiveLimits& limits;
  LinkRule links = LinkRule::kRefuse;
};

// One pass over the archive: calls `visit(index, reader)` for each entry until `last` was seen.
template <class PageContext>
Status ForEachEntry(const TarSource& source, std::size_t last, const PageContext& visit) {
  TarReader reader(source.file, source.limits, source.links);
  for (std::size_t index = 0; index <= last; ++index) {
    ASSIGN_OR_RETURN(std::optional<ArchiveEntry> entry, reader.Next());
    if (!entry) return {};
    RETURN_IF_ERROR(visit(index, *std::move(entry), reader));
  }
  return {};
}

Status CopyContent(TarReader& reader, TarWriter& writer) {
  while (true) {
    ASSIGN_OR_RETURN(std::span<const std::byte> part, reader.Content());
    if (part.empty()) return {};
    RETURN_IF_ERROR(writer.Content(part));
  }
}

// Files that come in the archive in the order they are written in: copied as they are met.
Status StreamRun(const TarSource& source, std::span<const PlannedFile> run, TarWriter& writer) {
  std::size_t next = 0;
  return ForEachEntry(source, run.back().source,
                      [&](std::size_t index, const ArchiveEntry&, TarReader& reader) -> Status {
                        if (next == run.size() || run[next].source != index) return {};
                        RETURN_IF_ERROR(writer.BeginFile(run[next++].file));
                        return CopyContent(reader, writer);
                      });
}

// Files in any order whose content fits the buffer: gathered in one pass, then written.
Status GatherBatch(const TarSource& source, std::span<const PlannedFile> batch, TarWriter& writer) {
  struct Piece {
    std::size_t source;
    std::size_t offset;
  };
  std::vector<Piece> pieces;
  std::size_t total = 0;
  for (const PlannedFile& planned : batch) {
    pieces.push_back({planned.source, total});
    total += static_cast<std::size_t>(planned.file.size);
  }
  std::ranges::sort(pieces, {}, &Piece::source);
  std::vector<std::byte> content(total);
  auto piece = pieces.begin();
  RETURN_IF_ERROR(
      ForEachEntry(source, pieces.back().source,
                   [&](std::size_t index, const ArchiveEntry&, TarReader& reader) -> Status {
                     if (piece == pieces.end() || piece->source != index) return {};
                     const auto begin = content.begin();
                     auto first = begin + static_cast<std::ptrdiff_t>((piece++)->offset);
                     auto out = first;
                     while (true) {
                       ASSIGN_OR_RETURN(std::span<const std::byte> part, reader.Content());
                       if (part.empty()) break;
                       out = std::ranges::copy(part, out).out;
                     }
                     // Links that were replaced by copies have the same content.
                     for (; piece != pieces.end() && piece->source == index; ++piece) {
                       std::copy(first, out, begin + static_cast<std::ptrdiff_t>(piece->offset));
                     }
                     return {};
                   }));
  std::span<const std::byte> rest(content);
  for (const PlannedFile& planned : batch) {
    RETURN_IF_ERROR(writer.BeginFile(planned.file));
    auto size = static_cast<std::size_t>(planned.file.size);
    RETURN_IF_ERROR(writer.Content(rest.first(size)));
    rest = rest.subspan(size);
  }
  return {};
}

// How many files from the front of `plan` lie in the archive in this order.
std::size_t OrderedRun(std::span<const PlannedFile> plan) {
  std::size_t count = 1;
  while (count < plan.size() && plan[count].source > plan[count - 1].source) ++count;
  return count;
}

// How many files from the front of `plan` fit the buffer together.
std::size_t FittingBatch(std::span<const PlannedFile> plan) {
  std::uint64_t total = 0;
  std::size_t count = 0;
  while (count < plan.size() && plan[count].file.size <= kPassBytes - total) {
    total += plan[count++].file.size;
  }
  return count;
}

Status WriteFromTarGz(const TarSource& source, std::span<const PlannedFile> plan,
                      TarWriter& writer) {
  std::span<const PlannedFile> left(plan);
  while (!left.empty()) {
    std::size_t ordered = OrderedRun(left);
    std::size_t fitting = FittingBatch(left);
    // Whichever gets further in one pass; a single file is always an ordered run.
    bool stream = ordered >= fitting;
    std::size_t count = stream ? ordered : fitting;
    RETURN_IF_ERROR(stream ? StreamRun(source, left.first(count), writer)
                           : GatherBatch(source, left.first(count), writer));
    left = left.subspan(count);
  }
  return writer.Finish();
}

Status RepackTarGz(const PackedFile& file, std::string_view top_folder, const ArchiveLimits& limits,
                   TarWriter& writer) {
  TarSource source{file, limits};
  std::vector<PlannedFile> plan;
  RETURN_IF_ERROR(ForEachEntry(
      source, SIZE_MAX - 1, [&](std::size_t index, ArchiveEntry entry, TarReader&) -> Status {
        std::optional<ArchiveEntry> kept = InModule(std::move(entry), top_folder);
        if (kept) plan.push_back({*std::move(kept), index});
        return {};
      }));
  SortByName(plan);
  return WriteFromTarGz(source, plan, writer);
}

Result<RepackPlan> RepackForeignTarGz(const PackedFile& file, std::string_view folder,
                                      const ArchiveLimits& limits, TarWriter& writer) {
  TarSource source{file, limits, LinkRule::kReport};
  std::vector<ArchiveEntry> entries;
  RETURN_IF_ERROR(ForEachEntry(source, SIZE_MAX - 1,
                               [&](std::size_t, ArchiveEntry entry, TarReader&) -> Status {
                                 entries.push_back(std::move(entry));
                                 return {};
                               }));
  ASSIGN_OR_RETURN(RepackPlan plan, PlanForeignModule(entries, folder, limits));
  RETURN_IF_ERROR(WriteFromTarGz(source, plan.files, writer));
  return plan;
}

}  // namespace

Result<ForeignRepack> RepackForeignModule(int descriptor, std::uint64_t size,
                                          std::string_view folder, const ArchiveLimits& limits,
                                          const ByteSink& sink) {
  PackedFile file(descriptor, size);
  ASSIGN_OR_RETURN(ArchiveKind kind, DetectArchiveKind(file));
  ArchiveBudget budget(limits, size);
  ByteSink in_time = [&budget, &sink](std::span<const std::byte> bytes) -> Status {
    RETURN_IF_ERROR(budget.CheckTime());
    return sink(bytes);
  };
  TarWriter writer(in_time);
  ASSIGN_OR_RETURN(RepackPlan plan, kind == ArchiveKind::kZip
                                        ? RepackForeignZip(file, folder, limits, budget, writer)
                                        : RepackForeignTarGz(file, folder, limits, writer));
  return ForeignRepack{plan.files.size(), std::move(plan.left_out)};
}

Status RepackModule(int descriptor, std::uint64_t size, const ModuleInspection& inspection,
                    const ArchiveLimits& limits, const ByteSink& sink) {
  PackedFile file(descriptor, size);
  TarWriter writer(sink);
  switch (inspection.kind) {
    case ArchiveKind::kTarGz:
      return RepackTarGz(file, inspection.top_folder, limits, writer);
    case ArchiveKind::kZip:
      return RepackZip(file, inspection.top_folder, limits, writer);
  }
  return {};
}

}  // namespace koya
