// Reads and checks the central directory of a zip before anything is unpacked (APPNOTE.TXT 6.3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"
#include "archive/packed_file.h"
#include "base/result.h"

namespace koya {

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
