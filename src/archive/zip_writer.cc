#include "archive/zip_writer.h"

#include <zlib.h>

#include <limits>

#include "archive/zip_directory.h"

namespace koya {
namespace {

constexpr std::uint64_t kMostZipBytes = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint16_t kZipVersion = 20;      // 2.0: deflate
constexpr std::uint16_t kZipUtf8 = 1U << 11;   // names are UTF-8
constexpr std::uint16_t kZipMethod = 8;        // deflate
constexpr std::uint32_t kZipFirstDay = 0x21U;  // 1980-01-01
constexpr std::uint32_t kZipMadeByUnix = 3U << 8;
constexpr std::uint32_t kZipPlainFile = 0100644U << 16;

template <class... Numbers>
void PutFields(std::string& out, Numbers... numbers) {
  auto put = [&out](auto number) {
    for (std::size_t i = 0; i < sizeof number; ++i) out += static_cast<char>(number >> (8 * i));
  };
  (put(numbers), ...);
}

std::uint32_t CrcOf(std::string_view content) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

// What both headers say of a file, in the same order.
void PutFacts(std::string& out, std::string_view name, const PackedPart& part, std::uint32_t crc) {
  PutFields(out, kZipVersion, kZipUtf8, kZipMethod, std::uint16_t{0},
            static_cast<std::uint16_t>(kZipFirstDay), crc, static_cast<std::uint32_t>(part.packed),
            static_cast<std::uint32_t>(part.size), static_cast<std::uint16_t>(name.size()),
            std::uint16_t{0});
}

}  // namespace

ZipWriter::ZipWriter(const ByteSink& sink) : sink_(sink) {}

Status ZipWriter::Write(std::string_view bytes) {
  written_ += bytes.size();
  return sink_(std::as_bytes(std::span(bytes)));
}

void ZipWriter::Remember(const Header& header) {
  PutFields(directory_, kZipCentralSignature,
            static_cast<std::uint16_t>(kZipMadeByUnix | kZipVersion));
  PutFacts(directory_, header.name, header.part, header.crc);
  PutFields(directory_, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, kZipPlainFile,
            static_cast<std::uint32_t>(header.begin));
  directory_ += header.name;
}

Result<PackedPart> ZipWriter::Add(std::string_view name, std::string_view content) {
  // The directory and its end must fit, too.
  const bool fits = content.size() < kMostZipBytes / 4 &&
                    written_ + content.size() + directory_.size() < kMostZipBytes / 2;
  if (files_ >= kMostFiles || !fits) {
    return FailLimit(ErrorKind::kTooLarge, "fixed.zip_files",
                     "there are too many files for one zip, or too large ones: a zip takes 65,534 "
                     "files and 2 GiB");
  }
  const std::string packed = deflate_.Pack(content);
  Header header{.name = name, .part = {}, .crc = CrcOf(content), .begin = written_};
  header.part = {.begin = written_ + kZipLocalBytes + name.size(),
                 .packed = packed.size(),
                 .size = content.size(),
                 .deflated = true};
  std::string local;
  PutFields(local, kZipLocalSignature);
  PutFacts(local, name, header.part, header.crc);
  local += name;
  RETURN_IF_ERROR(Write(local));
  RETURN_IF_ERROR(Write(packed));
  Remember(header);
  ++files_;
  return header.part;
}

Status ZipWriter::Finish() {
  const auto begin = static_cast<std::uint32_t>(written_);
  const auto size = static_cast<std::uint32_t>(directory_.size());
  const auto files = static_cast<std::uint16_t>(files_);
  PutFields(directory_, kZipEndSignature, std::uint32_t{0}, files, files, size, begin,
            std::uint16_t{0});
  return Write(directory_);
}

}  // namespace koya
