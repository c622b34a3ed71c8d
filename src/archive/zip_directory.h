// Reads and checks the central directory of a zip before anything is unpacked (APPNOTE.TXT 6.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"
#include "archive/packed_file.h"
#include "base/result.h"

namespace koya {

// Little-endian fields of zip headers, and the zip64 extra field.

inline constexpr std::uint32_t kZipLocalSignature = 0x04034B50;
inline constexpr std::uint32_t kZipCentralSignature = 0x02014B50;
inline constexpr std::uint32_t kZipDescriptorSignature = 0x08074B50;
inline constexpr std::uint32_t kZipEndSignature = 0x06054B50;
inline constexpr std::uint32_t kZip64EndSignature = 0x06064B50;
inline constexpr std::uint32_t kZip64LocatorSignature = 0x07064B50;
inline constexpr std::size_t kZipLocalBytes = 30;
inline constexpr std::size_t kZipCentralBytes = 46;
inline constexpr std::size_t kZipEndBytes = 22;
inline constexpr std::size_t kZip64EndBytes = 56;
inline constexpr std::size_t kZip64LocatorBytes = 20;
// The content of a 16- or 32-bit field when its value is in the zip64 record.
inline constexpr std::uint16_t kZipSee64Short = 0xFFFF;
inline constexpr std::uint32_t kZipSee64 = 0xFFFFFFFF;

// REQUIRES: the field lies inside `bytes`.
template <class Number>
Number ZipField(std::span<const std::byte> bytes, std::size_t offset) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    value = static_cast<Number>(value | static_cast<Number>(bytes[offset + i]) << (8 * i));
  }
  return value;
}

// Replaces each value that says "see zip64" with the next number of the extra field. False when a
// needed number is missing.
bool ApplyZip64(std::span<const std::byte> extra, std::span<std::uint64_t* const> values);

// An entry and the part of the file that belongs only to it: [begin, end).
struct ZipEntry {
  ArchiveEntry entry;
  std::string stored_name;  // unchanged bytes, compared with the local header's name
  std::uint64_t place = 0;  // index in the directory: clients use the last of duplicate names
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t packed_size = 0;
  std::uint32_t crc = 0;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::string unsafe = {};  // with NameRule::kReport: why the name, which is left out, is rejected
};

inline constexpr std::uint16_t kZipStored = 0;
inline constexpr std::uint16_t kZipDeflated = 8;
inline constexpr std::uint16_t kZipDescriptorFlag = 1U << 3;  // sizes follow the content

// Reads the directory; entries come in the order of their content in the file, and together cover
// it from offset 0 to the directory: no data before, between or shared by entries. Names, types,
// methods and announced sizes are checked against the rules and limits; memory is bounded by the
// entry limit and by 16 MiB of names in all. Fails: kRefused, kInternal.
Result<std::vector<ZipEntry>> ReadZipDirectory(const PackedFile& file, const ArchiveLimits& limits,
                                               LinkRule links = LinkRule::kRefuse,
                                               NameRule names = NameRule::kRefuse);

}  // namespace koya
