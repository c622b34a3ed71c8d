#include "archive/entry_name.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "archive/archive_limits.h"
#include "base/text.h"
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

namespace {

// Sorts before everything a name may hold, so that a folder's content follows it directly.
constexpr char kSeparator = '\x01';

struct Keyed {
  std::string key;
  const ArchiveEntry* entry;
};

// The entries by key, folders before files of one name.
template <class MakeKey>
std::vector<Keyed> Sorted(std::span<const ArchiveEntry> entries, const MakeKey& make_key) {
  std::vector<Keyed> sorted;
  sorted.reserve(entries.size());
  for (const ArchiveEntry& entry : entries) {
    if (entry.name.empty()) continue;
    std::string key = make_key(entry.name);
    std::ranges::replace(key, '/', kSeparator);
    sorted.push_back({std::move(key), &entry});
  }
  std::ranges::sort(sorted, [](const Keyed& a, const Keyed& b) {
    return std::tie(a.key, a.entry->name, b.entry->directory) <
           std::tie(b.key, b.entry->name, a.entry->directory);
  });
  return sorted;
}

// The length of the longest run of whole segments that both keys share.
std::size_t SharedSegments(std::string_view a, std::string_view b) {
  auto [end, other] = std::ranges::mismatch(a, b);
  auto shared = static_cast<std::size_t>(end - a.begin());
  auto complete = [&](std::string_view key) {
    return shared == key.size() || key[shared] == kSeparator;
  };
  if (complete(a) && complete(b)) return shared;
  std::size_t cut = a.substr(0, shared).rfind(kSeparator);
  return cut == std::string_view::npos ? 0 : cut;
}

// Names that share a folder are neighbours, so each kind of conflict shows between two of them.
Status VisitExact(std::span<const ArchiveEntry> entries, const NameConflictVisitor& visit) {
  std::vector<Keyed> sorted = Sorted(entries, [](const std::string& name) { return name; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const ArchiveEntry& a = *sorted[i - 1].entry;
    const ArchiveEntry& b = *sorted[i].entry;
    NameConflict conflict{.kind = NameConflict::Kind::kTwice, .first = a.name, .second = b.name};
    if (a.name == b.name) {
      if (a.directory != b.directory) conflict.kind = NameConflict::Kind::kFileAndFolder;
    } else if (!a.directory && SharedSegments(sorted[i - 1].key, sorted[i].key) == a.name.size()) {
      conflict.kind = NameConflict::Kind::kFileAndFolder;
    } else {
      continue;
    }
    RETURN_IF_ERROR(visit(conflict));
  }
  return {};
}

// The first `count` segments.
std::string_view FirstSegments(std::string_view name, std::ptrdiff_t count) {
  std::size_t end = 0;
  for (; count > 0; --count) end = std::min(name.find('/', end), name.size()) + 1;
  return name.substr(0, end == 0 ? 0 : end - 1);
}

Status VisitLetterCase(std::span<const ArchiveEntry> entries, const NameConflictVisitor& visit) {
  std::vector<Keyed> sorted = Sorted(entries, FoldCase);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const std::string& a = sorted[i - 1].entry->name;
    const std::string& b = sorted[i].entry->name;
    // Folding changes lengths, but not how many segments there are.
    const std::string_view key = sorted[i].key;
    const std::size_t shared = SharedSegments(sorted[i - 1].key, key);
    const std::ptrdiff_t segments =
        shared == 0 ? 0 : 1 + std::ranges::count(key.substr(0, shared), kSeparator);
    if (FirstSegments(a, segments) == FirstSegments(b, segments)) continue;
    RETURN_IF_ERROR(visit({.kind = NameConflict::Kind::kLetterCase, .first = a, .second = b}));
  }
  return {};
}

}  // namespace

std::string NameConflict::Describe() const {
  switch (kind) {
    case Kind::kTwice:
      return fmt::format("entry \"{}\" is in the archive twice; pack it again", Printable(second));
    case Kind::kFileAndFolder:
      if (first == second) {
        return fmt::format(
            "entry \"{}\" is in the archive twice, as a file and as a folder; "
            "rename one",
            Printable(first));
      }
      return fmt::format("entry \"{}\" is a file, and a folder too (entry \"{}\"); rename one",
                         Printable(first), Printable(second));
    case Kind::kLetterCase:
      return fmt::format(
          "entries \"{}\" and \"{}\" differ only in letter case, or in how a "
          "letter is composed, so one replaces the other on macOS and Windows; rename one",
          Printable(first), Printable(second));
  }
  return {};
}

Status VisitNameConflicts(std::span<const ArchiveEntry> entries, const NameConflictVisitor& visit) {
  RETURN_IF_ERROR(VisitExact(entries, visit));
  return VisitLetterCase(entries, visit);
}

Status RefuseNameConflicts(std::span<const ArchiveEntry> entries, LetterCase letter_case) {
  return VisitNameConflicts(entries, [letter_case](const NameConflict& conflict) -> Status {
    const bool by_case = conflict.kind == NameConflict::Kind::kLetterCase;
    if (by_case && letter_case == LetterCase::kAllow) return {};
    return Fail(ErrorKind::kRefused, conflict.Describe());
  });
}

}  // namespace koya
