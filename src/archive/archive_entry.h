// An entry of a module archive as the module rules see it, whatever its archive format.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace koya
