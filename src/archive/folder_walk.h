// Lists and opens the files of a module folder on the publisher's machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"
#include "base/file.h"
#include "base/result.h"

namespace koya {

// Opens the folder for WalkModuleFolder and OpenModuleFile. Fails: kInvalid.
Result<UniqueFd> OpenModuleFolder(const std::filesystem::path& folder);

struct WalkedFile {
  ArchiveEntry entry;
  std::string source;  // path of its bytes in the folder; differs from the name for copies of links
};

struct WalkedFolder {
  std::vector<WalkedFile> files;    // sorted bytewise by name
  std::vector<std::string> copied;  // the links among them, as "a/x.tf", or "a/x" for a folder
};

// The files below `folder`, an open descriptor of `path`, without .git, .terraform and paths
// excluded by the root's .terraformignore. A symbolic link is replaced by a copy of its target
// within the folder: a file, or all of a folder. Fails: kInvalid for links that lead elsewhere or
// in a circle, special files, names that archives may not have, and unreadable files, each named;
// kTooLarge over the limits.
Result<WalkedFolder> WalkModuleFolder(int folder, const std::filesystem::path& path,
                                      const ArchiveLimits& limits);

// Opens a file that the walk found. Fails: kInvalid.
Result<UniqueFd> OpenModuleFile(int folder, const WalkedFile& file);

// "cannot read "main.tf": Permission denied", with the remedy.
Failure CannotRead(std::string_view name, int error_number);

}  // namespace koya
