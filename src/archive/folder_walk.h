// The files of a module folder on the publisher's machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "archive/archive_entry.h"
#include "archive/archive_limits.h"
#include "base/file.h"
#include "base/result.h"

namespace koya {

// Opens the folder for WalkModuleFolder and OpenModuleFile. Fails: kInvalid.
Result<UniqueFd> OpenModuleFolder(const std::filesystem::path& folder);

struct WalkedFile {
  ArchiveEntry entry;
  std::string source;  // where in the folder its bytes are: elsewhere for a copy of a link's target
};

struct WalkedFolder {
  std::vector<WalkedFile> files;    // sorted bytewise by name
  std::vector<std::string> copied;  // the links among them, as "a/x.tf", or "a/x" for a folder
};

// The files below `folder`, which `path` leads to, without .git and .terraform and what the root's
// .terraformignore names. In place of a symbolic link stands a copy of what it leads to within the
// folder: a file, or all of a folder. Fails: kInvalid for links that lead elsewhere or round in a
// circle, special files, names that archives may not have, and what cannot be read, each named;
// kTooLarge over the limits.
Result<WalkedFolder> WalkModuleFolder(int folder, const std::filesystem::path& path,
                                      const ArchiveLimits& limits);

// Opens a file that the walk found. Fails: kInvalid.
Result<UniqueFd> OpenModuleFile(int folder, const WalkedFile& file);

// "cannot read "main.tf": Permission denied", and how to mend it.
Failure CannotRead(std::string_view name, int error_number);

}  // namespace koya
