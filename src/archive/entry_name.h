// Rules for names in archives: which names every client unpacks to the same place, inside the
// module; and which names cannot coexist, on any file system or on some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

// Whether links are rejected, as in modules published here, or reported as entries, for archives
// made by third parties.
enum class LinkRule { kRefuse, kReport };

// Whether names that lead out of a folder are rejected, or reported with the reason.
enum class NameRule { kRefuse, kReport };

enum class LinkKind { kNone, kSymbolic, kHard };

struct ArchiveEntry {
  std::string name;  // as ParseEntryName gives it: "modules/a/main.tf"; "" is the root folder
  std::uint64_t size = 0;
  bool directory = false;
  bool executable = false;  // the owner may run it; all other mode bits are ignored
  LinkKind link = LinkKind::kNone;
  std::string target = {};  // of a link, as written; from zips, see zip_directory.h
};

inline constexpr std::size_t kMaxEntryName = 1024;
inline constexpr std::size_t kMaxEntrySegment = 255;  // limit of Linux, macOS, Windows

// Checks an entry's name and returns its path without a leading "./" (usual in tar) and without the
// trailing "/" of a folder; "" is the root folder itself. Fails: kRefused for empty, over-long,
// absolute and drive-letter names, "..", "." and empty segments, backslashes, control characters
// and bytes that are not UTF-8.
Result<std::string> ParseEntryName(std::string_view raw);

// The name as compared by a file system that ignores letter case and the composition of letters
// (macOS; Windows ignores case only): decomposed and folded. It may be longer or shorter.
std::string FoldCase(std::string_view name);

// Why Windows cannot write a file of that path, as the predicate of a sentence about a part of the
// path ("ends in a dot or a blank"); "" when it can.
std::string_view WindowsProblem(std::string_view name);

// True when the path's first segment is one that only macOS packers add beside the real content:
// "__MACOSX", ".DS_Store", "._vpc". Such entries do not count when the module is located.
bool IsMacNoise(std::string_view path);

struct NameConflict {
  enum class Kind {
    kTwice,          // the same name, both files or both folders
    kFileAndFolder,  // `first` is a file, and `second` lies in it or is a folder of that name
    kLetterCase,     // one replaces the other on macOS and Windows
  };
  Kind kind = Kind::kTwice;
  std::string first;
  std::string second;

  // The conflict and its remedy, as a sentence.
  std::string Describe() const;
};

using NameConflictVisitor = std::function<Status(const NameConflict&)>;

// Calls `visit` for the conflicts among `entries` (by their parsed names; the root folder has
// none), until it fails, and returns its failure. Each name in conflict is named at least once, not
// each pair. Kinds that affect every client come first. Takes O(n log n).
Status VisitNameConflicts(std::span<const ArchiveEntry> entries, const NameConflictVisitor& visit);

// Names that differ only in letter case can coexist where an archive was made: third-party archives
// are allowed to have them.
enum class LetterCase { kRefuse, kAllow };

// Fails: kRefused, with the first relevant conflict.
Status RefuseNameConflicts(std::span<const ArchiveEntry> entries, LetterCase letter_case);

}  // namespace koya
