#include "archive/packed_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "archive/archive_limits.h"
#include "base/file_io.h"

namespace koya {
namespace {

constexpr std::size_t kPackedFileBytes = 64 << 10;

}  // namespace

Status PackedFile::ReadAt(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    auto got = ReadSome(descriptor_, out, offset);
    if (!got) return Failure(ErrnoError("read archive", got.error()));
    if (*got == 0) {
      return Fail(ErrorKind::kInternal, "the server could not read the archive back; see its log",
                  "read archive: the file is shorter than its stated size");
    }
    offset += *got;
    out = out.subspan(*got);
  }
  return {};
}

FileCursor::FileCursor(const PackedFile& file) : file_(file), buffer_(kPackedFileBytes) {}

// Refills only when the buffer has too little after the position, so reading in small pieces, and
// seeking a little, cost no system call.
Result<std::span<const std::byte>> FileCursor::ReadBytes(std::uint64_t max, std::uint64_t least) {
  least = std::min({least, max, remaining()});
  if (position_ < buffer_begin_ || position_ + least > buffer_begin_ + buffer_size_) {
    auto size = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), remaining()));
    buffer_size_ = 0;
    RETURN_IF_ERROR(file_.ReadAt(position_, std::span(buffer_).first(size)));
    buffer_begin_ = position_;
    buffer_size_ = size;
  }
  std::span<const std::byte> rest(buffer_.data(), buffer_size_);
  rest = rest.subspan(static_cast<std::size_t>(position_ - buffer_begin_));
  rest = rest.first(static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), max)));
  position_ += rest.size();
  return rest;
}

Status FileCursor::Fill(std::span<std::byte> out) {
  while (!out.empty()) {
    ASSIGN_OR_RETURN(std::span<const std::byte> part, ReadBytes(out.size()));
    std::ranges::copy(part, out.begin());
    out = out.subspan(part.size());
  }
  return {};
}

namespace {

using std::string_view_literals::operator""sv;

struct Magic {
  std::size_t offset;
  std::string_view bytes;
  std::string_view what;
};

// Formats that people try, and things that failed downloads leave behind: naming them saves a
// search. A bare tar has its magic behind the first file name.
constexpr std::array kOthers{
    Magic{0, "BZh"sv, "bzip2 (.tar.bz2)"},
    Magic{0,
          "\xFD"
          "7zXZ\0"sv,
          "xz (.tar.xz)"},
    Magic{0, "\x28\xB5\x2F\xFD"sv, "zstd (.tar.zst)"},
    Magic{0, "7z\xBC\xAF\x27\x1C"sv, "7z"},
    Magic{0, "Rar!\x1A\x07"sv, "rar"},
    Magic{0, "\x04\x22\x4D\x18"sv, "lz4"},
    Magic{0, "LZIP"sv, "lzip"},
    Magic{0, "\x1F\x9D"sv, "compress (.tar.Z)"},
    Magic{0, "PK\x07\x08"sv, "a zip in several parts"},
    Magic{0, "MZ"sv, "a Windows program (a self-extracting archive?)"},
    Magic{0,
          "\x7F"
          "ELF"sv,
          "a Linux program (a self-extracting archive?)"},
    Magic{257, "ustar"sv, "a tar without gzip"},
    Magic{0, "<!DOCTYPE"sv, "an HTML page"},
    Magic{0, "<!doctype"sv, "an HTML page"},
    Magic{0, "<html"sv, "an HTML page"},
};

// The bytes at the beginning of a file, as many as the magics need.
Result<std::string> ReadStart(const PackedFile& file) {
  constexpr std::size_t kMagicBytes = 262;
  std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(kMagicBytes, file.size())),
                    '\0');
  RETURN_IF_ERROR(file.ReadAt(0, std::as_writable_bytes(std::span(start))));
  return start;
}

bool IsGzip(std::string_view start) { return start.starts_with("\x1F\x8B"); }
bool IsZip(std::string_view start) {
  return start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06");
}

// What the bytes look like, or "".
std::string_view OtherFormat(std::string_view start) {
  for (const Magic& other : kOthers) {
    if (start.size() >= other.offset && start.substr(other.offset).starts_with(other.bytes)) {
      return other.what;
    }
  }
  return {};
}

}  // namespace

Result<ArchiveKind> DetectArchiveKind(const PackedFile& file) {
  ASSIGN_OR_RETURN(const std::string start, ReadStart(file));
  if (start.empty()) {
    return RefuseArchive("is empty: it has no bytes; send a .tar.gz or .zip of the module");
  }
  if (IsGzip(start)) return ArchiveKind::kTarGz;
  if (IsZip(start)) return ArchiveKind::kZip;
  if (std::string_view other = OtherFormat(start); !other.empty()) {
    return RefuseArchive(fmt::format(
        "is neither a .tar.gz nor a .zip: it looks like {}; pack the module as .tar.gz or .zip",
        other));
  }
  return RefuseArchive(
      "is neither a .tar.gz nor a .zip, despite its name; pack the module as one of them");
}

Status CheckIsZip(const PackedFile& file) {
  ASSIGN_OR_RETURN(const std::string start, ReadStart(file));
  if (IsZip(start)) return {};
  if (start.empty()) return RefuseArchive("is empty: it has no bytes; send a .zip");
  std::string_view other = IsGzip(start) ? "gzip (.tar.gz)" : OtherFormat(start);
  if (!other.empty()) {
    return RefuseArchive(fmt::format(
        "is not a .zip: it looks like {}; clients accept only .zip, so pack one", other));
  }
  return RefuseArchive("is not a .zip, despite its name; clients accept only .zip, so pack one");
}

}  // namespace koya
