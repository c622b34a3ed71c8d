#include "archive/tar_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "archive/archive_limits.h"
#include "archive/tar_header.h"

namespace koya {
namespace {

constexpr std::size_t kMaxName = 100;
constexpr std::size_t kMaxPrefix = 155;
constexpr std::uint64_t kMaxOctalSize = 077777777777;
constexpr std::string_view kPaxName = "././@PaxHeader";

// A name as ustar holds it: `prefix` + "/" + `name`, or `name` alone.
struct SplitName {
  std::string_view prefix;
  std::string_view name;
};

// The split with the longest possible prefix, so that each name has exactly one form.
std::optional<SplitName> Split(std::string_view path) {
  if (path.size() <= kMaxName) return SplitName{{}, path};
  std::size_t slash = path.rfind('/', kMaxPrefix);
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  SplitName split{path.substr(0, slash), path.substr(slash + 1)};
  if (split.name.empty() || split.name.size() > kMaxName) return std::nullopt;
  return split;
}

// Every field is written, and written in one way only: the bytes are what the digest is made of.
std::array<char, kTarBlock> MakeHeader(const SplitName& name, std::uint64_t size, char type,
                                       bool executable) {
  std::array<char, kTarBlock> block{};
  auto put = [&](std::size_t offset, std::string_view text) {
    std::ranges::copy(text, block.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  put(0, name.name);
  put(100, executable ? "0000755" : "0000644");
  put(108, "0000000");  // owner
  put(116, "0000000");  // group
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");  // time
  put(148, "        ");     // the checksum counts as spaces in itself
  put(156, std::string_view(&type, 1));
  put(257, "ustar");
  put(263, "00");
  put(329, "0000000");  // device numbers
  put(337, "0000000");
  put(345, name.prefix);
  unsigned sum = 0;
  for (char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

// "LENGTH KEY=VALUE\n", where LENGTH counts its own digits.
std::string PaxRecord(std::string_view key, std::string_view value) {
  std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest;
  while (length != rest + fmt::formatted_size("{}", length)) {
    length = rest + fmt::formatted_size("{}", length);
  }
  return fmt::format("{} {}={}\n", length, key, value);
}

Failure WrongSize(std::string_view what) {
  return Fail(ErrorKind::kInternal, "the module could not be packed: a file changed its size",
              std::string(what));
}

}  // namespace

Status TarWriter::BeginFile(const ArchiveEntry& file) {
  RETURN_IF_ERROR(EndFile());
  std::optional<SplitName> split = Split(file.name);
  bool large = file.size > kMaxOctalSize;
  if (!split || large) RETURN_IF_ERROR(WritePax(file, !split, large));
  // Where the pax header has the name, what stands here is for programs that do not know pax.
  SplitName name = split.value_or(SplitName{{}, std::string_view(file.name).substr(0, kMaxName)});
  auto block = MakeHeader(name, large ? 0 : file.size, '0', file.executable);
  RETURN_IF_ERROR(gzip_.Write(std::as_bytes(std::span(block))));
  size_ = file.size;
  written_ = 0;
  return {};
}

Status TarWriter::Content(std::span<const std::byte> bytes) {
  if (bytes.size() > size_ - written_) return WrongSize("tar writer: more content than announced");
  written_ += bytes.size();
  return gzip_.Write(bytes);
}

Status TarWriter::EndFile() {
  if (written_ != size_) return WrongSize("tar writer: less content than announced");
  return WriteZeros((kTarBlock - size_ % kTarBlock) % kTarBlock);
}

Status TarWriter::WritePax(const ArchiveEntry& file, bool with_name, bool with_size) {
  std::string records;
  if (with_name) records += PaxRecord("path", file.name);
  if (with_size) records += PaxRecord("size", fmt::to_string(file.size));
  auto block = MakeHeader({{}, kPaxName}, records.size(), 'x', false);
  RETURN_IF_ERROR(gzip_.Write(std::as_bytes(std::span(block))));
  RETURN_IF_ERROR(gzip_.Write(std::as_bytes(std::span(records))));
  return WriteZeros((kTarBlock - records.size() % kTarBlock) % kTarBlock);
}

Status TarWriter::WriteZeros(std::size_t count) {
  static constexpr std::array<std::byte, 2 * kTarBlock> kZeros{};
  return gzip_.Write(std::span(kZeros).first(count));
}

Status TarWriter::Finish() {
  RETURN_IF_ERROR(EndFile());
  RETURN_IF_ERROR(WriteZeros(2 * kTarBlock));
  return gzip_.Finish();
}

}  // namespace koya
