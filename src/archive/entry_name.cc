#include "archive/entry_name.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "archive/refusal.h"
#include "domain/search_words.h"

namespace koya {
namespace {

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool HasDriveLetter(std::string_view name) {
  return name.size() >= 2 && name[1] == ':' &&
         ((name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z'));
}

Status CheckCharacters(std::string_view raw) {
  if (raw.empty()) return RefuseArchive("has an entry without a name; pack it again");
  if (raw.size() > kMaxEntryName) {
    return RefuseEntry(
        raw, fmt::format("has a name of {} bytes; use at most {}", raw.size(), kMaxEntryName));
  }
  if (std::ranges::any_of(raw, IsControl)) {
    return RefuseEntry(raw, "has a control character in its name; rename the file");
  }
  if (!IsUtf8(raw)) {
    return RefuseEntry(raw, "has a name that is not UTF-8; rename the file, or pack with UTF-8");
  }
  if (raw.find('\\') != std::string_view::npos) {
    return RefuseEntry(raw,
                       "has a backslash in its name; separate folders with \"/\" (PowerShell 5's "
                       "Compress-Archive does not: use PowerShell 7, tar or zip)");
  }
  if (raw.front() == '/') {
    return RefuseEntry(raw, "has an absolute name; pack with relative names");
  }
  if (HasDriveLetter(raw)) {
    return RefuseEntry(raw, "begins with a drive letter; pack with relative names");
  }
  return {};
}

Status CheckSegment(std::string_view raw, std::string_view segment) {
  if (segment.empty()) return RefuseEntry(raw, "has \"//\" in its name; pack it again");
  if (segment == "..") {
    return RefuseEntry(raw, "leaves the archive through \"..\"; pack the folder itself");
  }
  if (segment == ".") {
    return RefuseEntry(raw, "has a \".\" segment in its name; pack with plain relative names");
  }
  if (segment.size() > kMaxEntrySegment) {
    return RefuseEntry(raw, fmt::format("has a file or folder name of {} bytes; use at most {}",
                                        segment.size(), kMaxEntrySegment));
  }
  return {};
}

}  // namespace

Result<std::string> ParseEntryName(std::string_view raw) {
  RETURN_IF_ERROR(CheckCharacters(raw));
  std::string_view path = raw;
  if (path.starts_with("./")) path.remove_prefix(2);
  if (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty() || path == ".") return std::string();
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = std::min(path.find('/', begin), path.size());
    RETURN_IF_ERROR(CheckSegment(raw, path.substr(begin, end - begin)));
    begin = end + 1;
  }
  return std::string(path);
}

std::string FoldCase(std::string_view name) {
  constexpr auto kAscii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(name, kAscii)) return AsciiLower(name);
  UErrorCode failed = U_ZERO_ERROR;
  std::string apart;
  icu::StringByteSink<std::string> sink(&apart);
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFDInstance(failed);
  if (U_SUCCESS(failed)) {
    normalizer->normalizeUTF8(0,
                              icu::StringPiece(name.data(), static_cast<std::int32_t>(name.size())),
                              sink, nullptr, failed);
  }
  // Without its tables nothing but ASCII is folded.
  return U_SUCCESS(failed) ? FoldForSearch(apart) : AsciiLower(name);
}

bool IsMacNoise(std::string_view path) {
  std::string_view first = path.substr(0, path.find('/'));
  return first == "__MACOSX" || first == ".DS_Store" || first.starts_with("._");
}

std::string_view WindowsProblem(std::string_view name) {
  constexpr std::string_view kSigns = ":?|*<>\"";
  constexpr std::array<std::string_view, 4> kDevices{"con", "prn", "aux", "nul"};
  while (!name.empty()) {
    const std::string_view segment = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(segment.size() + 1, name.size()));
    if (segment.find_first_of(kSigns) != segment.npos) return "has a sign that no name there has";
    if (segment.ends_with('.') || segment.ends_with(' ')) return "ends in a dot or a blank";
    std::string device = AsciiLower(segment.substr(0, segment.find('.')));
    device.erase(device.find_last_not_of(' ') + 1);
    const bool port = device.size() == 4 &&
                      (device.starts_with("com") || device.starts_with("lpt")) &&
                      device[3] >= '1' && device[3] <= '9';
    if (port || std::ranges::find(kDevices, device) != kDevices.end())
      return "is the name of a device";
  }
  return {};
}

}  // namespace koya
