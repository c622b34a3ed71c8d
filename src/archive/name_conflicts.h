// Which names of an archive cannot stand beside each other, on any file system or on some.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "archive/archive_entry.h"
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

  // What is wrong and how to mend it, as a sentence.
  std::string Describe() const;
};

using NameConflictVisitor = std::function<Status(const NameConflict&)>;

// Shows `visit` the conflicts among `entries` (by their parsed names; the root folder is none of
// them), until it fails, and hands its failure on. Each name in conflict is named at least once,
// not each pair. Kinds that trouble every client come first. Takes O(n log n).
Status VisitNameConflicts(std::span<const ArchiveEntry> entries, const NameConflictVisitor& visit);

// Names that differ in letter case only can stand side by side where an archive was made: whoever
// takes other people's allows them.
enum class LetterCase { kRefuse, kAllow };

// Fails with the first conflict that matters: kRefused.
Status RefuseNameConflicts(std::span<const ArchiveEntry> entries, LetterCase letter_case);

}  // namespace koya
