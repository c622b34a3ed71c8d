// Finds names of an archive that cannot coexist, on any file system or on some.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "archive/entry_name.h"
#include "base/result.h"

namespace koya {

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
