#include "archive/zip_reader.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>

#include "archive/archive_limits.h"
#include "archive/zip_directory.h"

namespace koya {
namespace {

Failure Damaged(const ZipEntry& zip, std::string_view what) {
  return RefuseEntry(zip.stored_name,
                     fmt::format("is damaged: {}; pack and upload it again", what));
}

}  // namespace

ZipReader::ZipReader(const PackedFile& file, ArchiveBudget& budget)
    : budget_(budget), cursor_(file) {}

Status ZipReader::Read(const ZipEntry& zip, const ByteSink& sink) {
  cursor_.Seek(zip.begin);
  RETURN_IF_ERROR(CheckLocalHeader(zip));
  content_begin_ = cursor_.position();
  if (zip.end - cursor_.position() < zip.packed_size) {
    return Damaged(zip, "its data runs into the next entry");
  }
  RETURN_IF_ERROR(budget_.AddPacked(zip.packed_size));
  ASSIGN_OR_RETURN(std::uint32_t crc, ReadContent(zip, sink));
  if (crc != zip.crc) return Damaged(zip, "its CRC does not match its content");
  return CheckDescriptor(zip);
}

// Clients read sizes and names here or in the directory, as they like: both must say the same.
// Leaves the cursor at the content.
Status ZipReader::CheckLocalHeader(const ZipEntry& zip) {
  std::array<std::byte, kZipLocalBytes> header{};
  if (zip.end - zip.begin < header.size()) return Damaged(zip, "its local header is missing");
  RETURN_IF_ERROR(cursor_.Fill(header));
  auto name_size = ZipField<std::uint16_t>(header, 26);
  auto extra_size = ZipField<std::uint16_t>(header, 28);
  if (ZipField<std::uint32_t>(header, 0) != kZipLocalSignature ||
      zip.end - cursor_.position() < std::uint64_t{name_size} + extra_size) {
    return Damaged(zip, "its local header is missing");
  }
  std::string name(name_size, '\0');
  RETURN_IF_ERROR(cursor_.Fill(std::as_writable_bytes(std::span(name))));
  std::vector<std::byte> extra(extra_size);
  RETURN_IF_ERROR(cursor_.Fill(extra));

  // Other flags only record the packer's effort, and differ harmlessly.
  constexpr std::uint16_t kMeaning = 1U << 0 | kZipDescriptorFlag | 1U << 6 | 1U << 13;
  auto flags = ZipField<std::uint16_t>(header, 6);
  bool same = name == zip.stored_name && ZipField<std::uint16_t>(header, 8) == zip.method &&
              (flags & kMeaning) == (zip.flags & kMeaning);
  auto crc = ZipField<std::uint32_t>(header, 14);
  std::uint64_t packed = ZipField<std::uint32_t>(header, 18);
  std::uint64_t unpacked = ZipField<std::uint32_t>(header, 22);
  std::array<std::uint64_t*, 2> wide{&unpacked, &packed};
  same = same && ApplyZip64(extra, wide);
  // With a descriptor to come, the header may leave these three open by writing zeros.
  bool open = (flags & kZipDescriptorFlag) != 0;
  same = same && (crc == zip.crc || (open && crc == 0)) &&
         (packed == zip.packed_size || (open && packed == 0)) &&
         (unpacked == zip.entry.size || (open && unpacked == 0));
  if (!same) return Damaged(zip, "its local header contradicts the directory");
  return {};
}

Result<std::uint32_t> ZipReader::ReadContent(const ZipEntry& zip, const ByteSink& sink) {
  return zip.method == kZipStored ? ReadStored(zip, sink) : ReadDeflated(zip, sink);
}

Result<std::uint32_t> ZipReader::ReadStored(const ZipEntry& zip, const ByteSink& sink) {
  std::uint32_t crc = 0;
  for (std::uint64_t left = zip.packed_size; left > 0;) {
    RETURN_IF_ERROR(budget_.CheckTime());
    ASSIGN_OR_RETURN(std::span<const std::byte> part, cursor_.ReadBytes(left));
    left -= part.size();
    crc = UpdateCrc(crc, part);
    RETURN_IF_ERROR(sink(part));
  }
  return crc;
}

// The announced size is a bound: a stream that gives more is stopped at the first byte over it.
Result<std::uint32_t> ZipReader::ReadDeflated(const ZipEntry& zip, const ByteSink& sink) {
  inflate_.Restart();
  std::uint32_t crc = 0;
  std::uint64_t packed_left = zip.packed_size;
  std::uint64_t unpacked_left = zip.entry.size;
  while (true) {
    RETURN_IF_ERROR(budget_.CheckTime());
    std::uint64_t begin = cursor_.position();
    ASSIGN_OR_RETURN(std::span<const std::byte> packed,
                     cursor_.ReadBytes(packed_left, InflateStream::kLookAhead));
    InflateStream::Step step = inflate_.Run(packed);
    cursor_.Seek(begin + step.consumed);
    packed_left -= step.consumed;
    std::span<const std::byte> part = step.unpacked;
    if (part.size() > unpacked_left) return Damaged(zip, "it unpacks to more than it announces");
    unpacked_left -= part.size();
    crc = UpdateCrc(crc, part);
    if (!part.empty()) RETURN_IF_ERROR(sink(part));
    if (step.progress == InflateStream::Progress::kEnd) break;
    if (step.progress != InflateStream::Progress::kMore) {
      return Damaged(zip, "its compressed data is broken");
    }
  }
  if (packed_left != 0 || unpacked_left != 0) {
    return Damaged(zip, "its content is not of the size it announces");
  }
  return crc;
}

// What lies between the content and the end of the extent must be the descriptor, if one was
// promised, and nothing else. Its signature is optional and its sizes have 4 or 8 bytes.
Status ZipReader::CheckDescriptor(const ZipEntry& zip) {
  std::uint64_t gap = zip.end - cursor_.position();
  bool promised = (zip.flags & kZipDescriptorFlag) != 0;
  if (gap == 0 && (!promised || zip.entry.directory)) return {};
  bool fits = gap == 12 || gap == 16 || gap == 20 || gap == 24;
  if (!promised || !fits) return Damaged(zip, "data that belongs to no entry follows it");
  std::array<std::byte, 24> bytes{};
  std::span<std::byte> descriptor = std::span(bytes).first(static_cast<std::size_t>(gap));
  RETURN_IF_ERROR(cursor_.Fill(descriptor));
  if (gap == 16 || gap == 24) {
    if (ZipField<std::uint32_t>(descriptor, 0) != kZipDescriptorSignature) {
      return Damaged(zip, "its data descriptor is malformed");
    }
    descriptor = descriptor.subspan(4);
  } else if (zip.crc == kZipDescriptorSignature) {
    // A CRC that looks like the signature, which is then missing: ambiguous for readers.
    return Damaged(zip, "its data descriptor can be read in two ways");
  }
  bool wide = gap >= 20;
  std::uint64_t packed =
      wide ? ZipField<std::uint64_t>(descriptor, 4) : ZipField<std::uint32_t>(descriptor, 4);
  std::uint64_t unpacked =
      wide ? ZipField<std::uint64_t>(descriptor, 12) : ZipField<std::uint32_t>(descriptor, 8);
  if (ZipField<std::uint32_t>(descriptor, 0) != zip.crc || packed != zip.packed_size ||
      unpacked != zip.entry.size) {
    return Damaged(zip, "its data descriptor contradicts the directory");
  }
  return {};
}

}  // namespace koya
