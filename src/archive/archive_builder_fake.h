// Test archives, byte by byte: every field can lie, which no real packer allows.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/module_package.h"
#include "archive/provider_package.h"
#include "base/file.h"

namespace koya {

// The bytes in an unnamed file.
inline UniqueFd FileOf(std::string_view bytes) {
  UniqueFd fd(::memfd_create("archive", MFD_CLOEXEC));
  EXPECT_TRUE(fd.valid());
  EXPECT_EQ(::write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return fd;
}

// Compresses in one go; `window` as zlib has it: 31 gzip, -15 raw.
inline std::string Deflate(std::string_view bytes, int window) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
inline std::string Gzip(std::string_view bytes) { return Deflate(bytes, 31); }

// ---- the functions under test, on bytes ----

inline Result<ModuleInspection> InspectText(std::string_view bytes,
                                            const ArchiveLimits& limits = {}) {
  UniqueFd file = FileOf(bytes);
  return InspectModule(file.get(), bytes.size(), limits);
}

inline Result<ProviderPackageInspection> InspectProviderText(std::string_view bytes,
                                                             const ArchiveLimits& limits = {}) {
  UniqueFd file = FileOf(bytes);
  return InspectProviderPackage(file.get(), bytes.size(), "demo", limits);
}

// The repack of an archive that must be acceptable; "" and a test failure otherwise.
inline std::string RepackText(std::string_view bytes, const ArchiveLimits& limits = {}) {
  UniqueFd file = FileOf(bytes);
  Result<ModuleInspection> inspection = InspectModule(file.get(), bytes.size(), limits);
  EXPECT_TRUE(inspection) << inspection.error().message;
  if (!inspection) return {};
  std::string out;
  ByteSink sink = [&](std::span<const std::byte> part) -> Status {
    out.append(reinterpret_cast<const char*>(part.data()), part.size());
    return {};
  };
  Status repacked = RepackModule(file.get(), bytes.size(), *inspection, limits, sink);
  EXPECT_TRUE(repacked) << repacked.error().message << repacked.error().detail;
  return out;
}

// ---- tar ----

struct TarSpec {
  std::string name;
  std::string content{};
  char type = '0';
  std::string mode = "0000644";
  std::string link{};
  std::string magic{"ustar\00000", 8};
  std::string prefix{};
  std::string size{};  // as written; empty: the content's, in octal
  bool bad_checksum = false;
  bool pad = true;
};

inline std::string TarEntry(const TarSpec& spec) {
  std::string block(512, '\0');
  auto put = [&](std::size_t at, std::string_view text) {
    block.replace(at, text.size(), text.data(), text.size());
  };
  put(0, std::string_view(spec.name).substr(0, 100));
  put(100, spec.mode);
  put(108, "0000000");
  put(116, "0000000");
  char octal[13];
  std::snprintf(octal, sizeof octal, "%011zo", spec.content.size());
  put(124, spec.size.empty() ? std::string_view(octal) : std::string_view(spec.size));
  put(136, "14371573625");
  put(148, "        ");
  block[156] = spec.type;
  put(157, spec.link);
  put(257, spec.magic);
  put(265, "somebody");
  put(345, spec.prefix);
  unsigned sum = spec.bad_checksum ? 1 : 0;
  for (char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(octal, sizeof octal, "%06o", sum);
  put(148, std::string_view(octal, 6));
  block[154] = '\0';
  block += spec.content;
  if (spec.pad) block.resize((block.size() + 511) / 512 * 512);
  return block;
}

inline std::string TarEnd() { return std::string(1024, '\0'); }

inline std::string Tar(const std::vector<TarSpec>& specs) {
  std::string out;
  for (const TarSpec& spec : specs) out += TarEntry(spec);
  return out + TarEnd();
}
inline std::string TarGz(const std::vector<TarSpec>& specs) { return Gzip(Tar(specs)); }

inline std::string PaxRecordText(std::string_view key, std::string_view value) {
  std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (length != rest + std::to_string(length).size()) ++length;
  return std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

// ---- zip ----

struct ZipSpec {
  std::string name;
  std::string content{};
  std::uint16_t method = 8;
  std::uint16_t flags = 0;
  std::uint16_t system = 3;
  std::uint32_t mode = 0100644;
  std::uint32_t dos_attributes = 0;
  bool descriptor = false;  // bit 3, with the sizes after the content
  bool zip64 = false;       // sizes in zip64 extra fields, and in 8 bytes in the descriptor
  std::string central_extra{};
  std::string local_name{};           // when not empty, the local header lies
  std::int64_t local_size_lie = 0;    // added to the local unpacked size
  std::int64_t central_size_lie = 0;  // added to the central unpacked size
  std::uint32_t crc_lie = 0;          // xored into both CRCs
  std::string packed{};               // when not empty, instead of the real data
  std::string gap{};                  // bytes after the entry that belong to none
};

inline void PutNumber(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

inline std::string Zip64Sizes(std::uint64_t unpacked, std::uint64_t packed) {
  std::string out;
  PutNumber(out, 1, 2);
  PutNumber(out, 16, 2);
  PutNumber(out, unpacked, 8);
  PutNumber(out, packed, 8);
  return out;
}

struct ZipOptions {
  std::string before{};       // data in front of the archive
  bool shift_offsets = true;  // offsets count the data in front
  std::string comment{};
  int extra_entries = 0;  // added to the number in the end record
  bool zip64_end = false;
  bool reverse_directory = false;  // records in the other order than contents
};

inline std::string LocalHeader(const ZipSpec& spec, std::string_view packed, std::uint32_t crc) {
  std::string out;
  bool open = spec.descriptor;
  const std::string& name = spec.local_name.empty() ? spec.name : spec.local_name;
  PutNumber(out, 0x04034B50, 4);
  PutNumber(out, 20, 2);
  PutNumber(out, spec.flags | (open ? 8 : 0), 2);
  PutNumber(out, spec.method, 2);
  PutNumber(out, 0, 4);
  std::uint64_t packed_size = open ? 0 : packed.size();
  std::uint64_t unpacked =
      open ? 0 : spec.content.size() + static_cast<std::uint64_t>(spec.local_size_lie);
  std::string extra = spec.zip64 ? Zip64Sizes(unpacked, packed_size) : "";
  PutNumber(out, open ? 0 : crc, 4);
  PutNumber(out, spec.zip64 ? 0xFFFFFFFF : packed_size, 4);
  PutNumber(out, spec.zip64 ? 0xFFFFFFFF : unpacked, 4);
  PutNumber(out, name.size(), 2);
  PutNumber(out, extra.size(), 2);
  return out + name + extra;
}

inline std::string CentralRecordText(const ZipSpec& spec, std::size_t packed, std::uint32_t crc,
                                     std::uint64_t offset) {
  std::string out;
  PutNumber(out, 0x02014B50, 4);
  PutNumber(out, static_cast<unsigned>(spec.system) << 8 | 20U, 2);
  PutNumber(out, 20, 2);
  PutNumber(out, spec.flags | (spec.descriptor ? 8 : 0), 2);
  PutNumber(out, spec.method, 2);
  PutNumber(out, 0, 4);
  PutNumber(out, crc, 4);
  std::uint64_t unpacked = spec.content.size() + static_cast<std::uint64_t>(spec.central_size_lie);
  std::string extra = spec.central_extra + (spec.zip64 ? Zip64Sizes(unpacked, packed) : "");
  PutNumber(out, spec.zip64 ? 0xFFFFFFFF : packed, 4);
  PutNumber(out, spec.zip64 ? 0xFFFFFFFF : unpacked, 4);
  PutNumber(out, spec.name.size(), 2);
  PutNumber(out, extra.size(), 2);
  PutNumber(out, 0, 2);
  PutNumber(out, 0, 4);
  PutNumber(out, spec.mode << 16 | spec.dos_attributes, 4);
  PutNumber(out, offset, 4);
  return out + spec.name + extra;
}

inline std::string EndRecord(std::size_t entries, std::size_t size, std::size_t offset,
                             const ZipOptions& options) {
  std::string out;
  if (options.zip64_end) {
    std::size_t place = offset + size;
    PutNumber(out, 0x06064B50, 4);
    PutNumber(out, 44, 8);
    PutNumber(out, 45 | 45 << 16, 4);
    PutNumber(out, 0, 8);
    PutNumber(out, entries, 8);
    PutNumber(out, entries, 8);
    PutNumber(out, size, 8);
    PutNumber(out, offset, 8);
    PutNumber(out, 0x07064B50, 4);
    PutNumber(out, 0, 4);
    PutNumber(out, place, 8);
    PutNumber(out, 1, 4);
  }
  PutNumber(out, 0x06054B50, 4);
  PutNumber(out, 0, 4);
  PutNumber(out, options.zip64_end ? 0xFFFF : entries, 2);
  PutNumber(out, options.zip64_end ? 0xFFFF : entries, 2);
  PutNumber(out, options.zip64_end ? 0xFFFFFFFF : size, 4);
  PutNumber(out, options.zip64_end ? 0xFFFFFFFF : offset, 4);
  PutNumber(out, options.comment.size(), 2);
  return out + options.comment;
}

inline std::string Zip(const std::vector<ZipSpec>& specs, const ZipOptions& options = {}) {
  std::string out = options.before;
  std::string central;
  std::size_t shift = options.shift_offsets ? 0 : options.before.size();
  for (const ZipSpec& spec : specs) {
    std::string packed = !spec.packed.empty() ? spec.packed
                         : spec.method == 8   ? Deflate(spec.content, -15)
                                              : spec.content;
    auto crc = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(spec.content.data()), spec.content.size()));
    crc ^= spec.crc_lie;
    std::string record = CentralRecordText(spec, packed.size(), crc, out.size() - shift);
    central.insert(options.reverse_directory ? 0 : central.size(), record);
    out += LocalHeader(spec, packed, crc) + packed;
    if (spec.descriptor) {
      PutNumber(out, 0x08074B50, 4);
      PutNumber(out, crc, 4);
      PutNumber(out, packed.size(), spec.zip64 ? 8 : 4);
      PutNumber(out, spec.content.size(), spec.zip64 ? 8 : 4);
    }
    out += spec.gap;
  }
  std::size_t offset = out.size() - shift;
  out += central;
  return out + EndRecord(specs.size() + static_cast<std::size_t>(options.extra_entries),
                         central.size(), offset, options);
}

}  // namespace koya
