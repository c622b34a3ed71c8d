#include "archive/entry_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "archive/refusal.h"

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

namespace {

// Lower case of a two-byte character, where its lower case has two bytes too; else itself.
char32_t FoldTwoBytes(char32_t c) {
  if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 0x20;     // Latin-1
  if (c >= 0x391 && c <= 0x3A9 && c != 0x3A2) return c + 0x20;  // Greek
  if (c >= 0x410 && c <= 0x42F) return c + 0x20;                // Cyrillic
  if (c >= 0x400 && c <= 0x40F) return c + 0x50;
  return c;
}

}  // namespace

std::string FoldCase(std::string_view name) {
  std::string out = AsciiLower(name);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    auto lead = static_cast<unsigned char>(out[i]);
    if (lead < 0xC3 || lead > 0xD0) continue;
    char32_t c = (lead & 0x1FU) << 6 | (static_cast<unsigned char>(out[i + 1]) & 0x3FU);
    c = FoldTwoBytes(c);
    out[i] = static_cast<char>(0xC0 | c >> 6);
    out[++i] = static_cast<char>(0x80 | (c & 0x3F));
  }
  return out;
}

bool IsMacNoise(std::string_view path) {
  std::string_view first = path.substr(0, path.find('/'));
  return first == "__MACOSX" || first == ".DS_Store" || first.starts_with("._");
}

}  // namespace koya
