// One entry of a module archive, as the module rules see it, whatever format it came from.
#pragma once

#include <cstdint>
#include <string>

namespace koya {

// Whether links are refused, as in what is published here, or handed on as entries, for archives
// that somebody else made.
enum class LinkRule { kRefuse, kReport };

// Whether names are refused that lead out of a folder, or handed on with why.
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
