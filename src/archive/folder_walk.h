// The files of a module folder on the publisher's machine.
#pragma once

#include <filesystem>
#include <vector>

#include "archive/archive_entry.h"
#include "archive/archive_limits.h"
#include "base/file.h"
#include "base/result.h"

namespace koya {

// Opens the folder for WalkModuleFolder and OpenModuleFile. Fails: kInvalid.
Result<UniqueFd> OpenModuleFolder(const std::filesystem::path& folder);

// The files below `folder`, sorted bytewise by path, without .git and .terraform and what the
// root's .terraformignore names. Fails: kInvalid for links, special files, names that archives may
// not have, and what cannot be read, each named; kTooLarge over the limits.
Result<std::vector<ArchiveEntry>> WalkModuleFolder(int folder, const ArchiveLimits& limits);

// Opens a file that the walk found. Fails: kInvalid.
Result<UniqueFd> OpenModuleFile(int folder, const ArchiveEntry& file);

// "cannot read "main.tf": Permission denied", and how to mend it.
Failure CannotRead(std::string_view name, int error_number);

}  // namespace koya
