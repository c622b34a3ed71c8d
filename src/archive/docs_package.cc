#include "archive/docs_package.h"

#include <span>
#include <utility>

#include "archive/deflate.h"
#include "archive/packed_file.h"

namespace koya {
namespace {

constexpr std::size_t kMostUnsafeNames = 20;

Failure NotAsItWas() {
  return FailCorrupt(
      "a part of the docs is damaged in this server's storage: publish the same release "
      "again, or have its operator restore it from a backup");
}

}  // namespace

DocsPackage::DocsPackage(const PackedFile& file, const ArchiveLimits& limits)
    : file_(file), budget_(limits, file.size()), reader_(file_, budget_) {}

Result<std::unique_ptr<DocsPackage>> DocsPackage::Open(int descriptor, std::uint64_t size,
                                                       const ArchiveLimits& limits) {
  PackedFile file(descriptor, size);
  RETURN_IF_ERROR(CheckIsZip(file));
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries,
                   ReadZipDirectory(file, limits, LinkRule::kReport, NameRule::kReport));
  std::unique_ptr<DocsPackage> package(new DocsPackage(file, limits));
  package->Take(std::move(entries));
  return package;
}

void DocsPackage::Take(std::vector<ZipEntry> entries) {
  for (ZipEntry& zip : entries) {
    if (!zip.unsafe.empty()) {
      if (unsafe_.size() < kMostUnsafeNames) unsafe_.push_back(std::move(zip.unsafe));
      continue;
    }
    if (zip.entry.directory) continue;
    files_.push_back({.path = zip.entry.name,
                      .size = zip.entry.size,
                      .link = zip.entry.link != LinkKind::kNone});
    entries_.push_back(std::move(zip));
  }
}

Result<DocsPackage::Content> DocsPackage::Read(std::size_t file) {
  const ZipEntry& zip = entries_[file];
  Content content;
  content.text.reserve(zip.entry.size);
  RETURN_IF_ERROR(reader_.Read(zip, [&content](std::span<const std::byte> part) -> Status {
    content.text.append(reinterpret_cast<const char*>(part.data()), part.size());
    return {};
  }));
  content.part = {.begin = reader_.content_begin(),
                  .packed = zip.packed_size,
                  .size = zip.entry.size,
                  .deflated = zip.method == kZipDeflated};
  return content;
}

Result<std::string> UnpackPart(std::string_view packed, const PackedPart& part) {
  if (packed.size() != part.packed) return NotAsItWas();
  if (!part.deflated) return std::string(packed);
  std::string out;
  out.reserve(part.size);
  std::span<const std::byte> in = std::as_bytes(std::span(packed));
  InflateStream inflate;
  auto progress = InflateStream::Progress::kMore;
  while (progress == InflateStream::Progress::kMore) {
    InflateStream::Step step = inflate.Run(in);
    in = in.subspan(step.consumed);
    if (step.unpacked.size() > part.size - out.size()) return NotAsItWas();
    out.append(reinterpret_cast<const char*>(step.unpacked.data()), step.unpacked.size());
    progress = step.progress;
  }
  const bool whole = in.empty() && out.size() == part.size;
  if (progress != InflateStream::Progress::kEnd || !whole) return NotAsItWas();
  return out;
}

}  // namespace koya
