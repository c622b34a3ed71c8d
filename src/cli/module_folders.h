// Finds the module folders of a repository on this machine, and packs one with the folders that it
// needs. Reads local files only; several folders are copied to a temporary folder before they are
// packed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/module_rules.h"
#include "cli/package.h"

namespace koya::cli {

// Lists the folders with configuration below `top`, without hidden ones. Fails: kInvalid: not a
// folder, or too many files in it.
Result<Repository> ListModuleFolders(const std::filesystem::path& top);

// The folders of a module's package, relative to `top`, sorted, none below another one: its own,
// those of its rule's `with`, and those outside of it that local calls ("../common") lead to, from
// folder to folder. Fails: kInvalid: a call that leaves the repository or leads to no folder.
Result<std::vector<std::string>> FoldersOfPackage(const std::filesystem::path& top,
                                                  const RepositoryModule& module);

struct FolderPackageFile {
  Package package;
  std::string subfolder;  // of the module in it: "modules/vpc"; "": its root
};

// Packs these folders with their positions to each other: the module at the root when it is alone,
// else below "modules", where servers and clients look for modules. Fails: as OpenPackage.
Result<FolderPackageFile> PackModule(const std::filesystem::path& top,
                                     const RepositoryModule& module,
                                     const std::vector<std::string>& folders,
                                     const std::filesystem::path& temporary_folder);

}  // namespace koya::cli
