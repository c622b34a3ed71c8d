// RepackModule: zip entries are read where they lie; a .tar.gz can only be read forwards, so its
// files are gathered in as few passes as a bounded buffer allows (one, as a rule).
#include <algorithm>
#include <optional>
#include <vector>

#include "archive/entry_name.h"
#include "archive/module_package.h"
#include "archive/packed_file.h"
#include "archive/refusal.h"
#include "archive/tar_reader.h"
#include "archive/tar_writer.h"
#include "archive/zip_directory.h"
#include "archive/zip_reader.h"

namespace koya {
namespace {

// How much content one pass over a .tar.gz may hold in memory. A larger file is streamed.
constexpr std::uint64_t kPassBytes = 32ULL << 20;

// A file to be written, and which entry of the archive has its content.
struct Planned {
  ArchiveEntry file;  // its name in the repack
  std::size_t source;
};

// The entry's name with the module at the root; nothing for what is left out: folders, and what
// macOS put at the top.
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

void SortByName(std::vector<Planned>& plan) {
  std::ranges::sort(plan, {},
                    [](const Planned& planned) -> const std::string& { return planned.file.name; });
}

// ---- zip ----

Status RepackZip(const PackedFile& file, std::string_view top_folder, const ArchiveLimits& limits,
                 TarWriter& writer) {
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries, ReadZipDirectory(file, limits));
  std::vector<Planned> plan;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::optional<ArchiveEntry> kept = InModule(entries[i].entry, top_folder);
    if (kept) plan.push_back({*std::move(kept), i});
  }
  SortByName(plan);
  ZipReader reader(file);
  ByteSink content = [&](std::span<const std::byte> bytes) { return writer.Content(bytes); };
  for (const Planned& planned : plan) {
    RETURN_IF_ERROR(writer.BeginFile(planned.file));
    RETURN_IF_ERROR(reader.Read(entries[planned.source], content));
  }
  return writer.Finish();
}

// ---- tar.gz ----

// One pass over the archive: calls `visit(index, reader)` for each entry until `last` was seen.
template <class Visit>
Status ForEachEntry(const PackedFile& file, const ArchiveLimits& limits, std::size_t last,
                    const Visit& visit) {
  TarReader reader(file, limits);
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
Status StreamRun(const PackedFile& file, const ArchiveLimits& limits, std::span<const Planned> run,
                 TarWriter& writer) {
  std::size_t next = 0;
  return ForEachEntry(file, limits, run.back().source,
                      [&](std::size_t index, const ArchiveEntry&, TarReader& reader) -> Status {
                        if (next == run.size() || run[next].source != index) return {};
                        RETURN_IF_ERROR(writer.BeginFile(run[next++].file));
                        return CopyContent(reader, writer);
                      });
}

// Files in any order whose content fits the buffer: gathered in one pass, then written.
Status GatherBatch(const PackedFile& file, const ArchiveLimits& limits,
                   std::span<const Planned> batch, TarWriter& writer) {
  struct Piece {
    std::size_t source;
    std::size_t offset;
  };
  std::vector<Piece> pieces;
  std::size_t total = 0;
  for (const Planned& planned : batch) {
    pieces.push_back({planned.source, total});
    total += static_cast<std::size_t>(planned.file.size);
  }
  std::ranges::sort(pieces, {}, &Piece::source);
  std::vector<std::byte> content(total);
  auto piece = pieces.begin();
  RETURN_IF_ERROR(
      ForEachEntry(file, limits, pieces.back().source,
                   [&](std::size_t index, const ArchiveEntry&, TarReader& reader) -> Status {
                     if (piece == pieces.end() || piece->source != index) return {};
                     auto out = content.begin() + static_cast<std::ptrdiff_t>((piece++)->offset);
                     while (true) {
                       ASSIGN_OR_RETURN(std::span<const std::byte> part, reader.Content());
                       if (part.empty()) return {};
                       out = std::ranges::copy(part, out).out;
                     }
                   }));
  std::span<const std::byte> rest(content);
  for (const Planned& planned : batch) {
    RETURN_IF_ERROR(writer.BeginFile(planned.file));
    auto size = static_cast<std::size_t>(planned.file.size);
    RETURN_IF_ERROR(writer.Content(rest.first(size)));
    rest = rest.subspan(size);
  }
  return {};
}

// How many files from the front of `plan` lie in the archive in this order.
std::size_t OrderedRun(std::span<const Planned> plan) {
  std::size_t count = 1;
  while (count < plan.size() && plan[count].source > plan[count - 1].source) ++count;
  return count;
}

// How many files from the front of `plan` fit the buffer together.
std::size_t FittingBatch(std::span<const Planned> plan) {
  std::uint64_t total = 0;
  std::size_t count = 0;
  while (count < plan.size() && plan[count].file.size <= kPassBytes - total) {
    total += plan[count++].file.size;
  }
  return count;
}

Status RepackTarGz(const PackedFile& file, std::string_view top_folder, const ArchiveLimits& limits,
                   TarWriter& writer) {
  std::vector<Planned> plan;
  RETURN_IF_ERROR(ForEachEntry(
      file, limits, SIZE_MAX - 1, [&](std::size_t index, ArchiveEntry entry, TarReader&) -> Status {
        std::optional<ArchiveEntry> kept = InModule(std::move(entry), top_folder);
        if (kept) plan.push_back({*std::move(kept), index});
        return {};
      }));
  SortByName(plan);
  std::span<const Planned> left(plan);
  while (!left.empty()) {
    std::size_t ordered = OrderedRun(left);
    std::size_t fitting = FittingBatch(left);
    // Whichever gets further in one pass; a single file is always an ordered run.
    bool stream = ordered >= fitting;
    std::size_t count = stream ? ordered : fitting;
    RETURN_IF_ERROR(stream ? StreamRun(file, limits, left.first(count), writer)
                           : GatherBatch(file, limits, left.first(count), writer));
    left = left.subspan(count);
  }
  return writer.Finish();
}

}  // namespace

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
