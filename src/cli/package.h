// Opens the package that "koya publish" uploads: a folder, which it packs, or an unmodified
// archive. Reads local files only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "archive/module_package.h"
#include "base/file.h"
#include "base/result.h"
#include "cli/text/shell.h"
#include "domain/archive_kind.h"
#include "inspect/reader.h"

namespace koya::cli {

struct Package {
  UniqueFd file;  // the archive, or an unlinked temporary file
  std::uint64_t size = 0;
  ArchiveKind kind = ArchiveKind::kTarGz;
  std::uint64_t packed_files = 0;              // 0 when PATH was an archive
  std::vector<std::string> copied_links = {};  // links packed as copies
};

// Folder for temporary files: TMPDIR, else /tmp.
std::filesystem::path TemporaryFolder(const Variables& variables);

// Opens PATH: a folder, a .tar.gz, a .tgz or a .zip. Fails: kInvalid (not there, another kind of
// file, empty, or rejected by PackModuleFolder), kStorageFull (no space for the temporary file).
Result<Package> OpenPackage(const std::filesystem::path& path,
                            const std::filesystem::path& temporary_folder);

// Reads the contents of the package on this machine. Fails: kRefused: it is not a module that
// clients could unpack.
Result<inspect::ModuleContents> ReadPackage(const Package& package,
                                            const inspect::ReadOptions& options);

}  // namespace koya::cli
