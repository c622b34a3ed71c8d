#include "archive/name_conflicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "archive/entry_name.h"
#include "base/text.h"

namespace koya {
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
