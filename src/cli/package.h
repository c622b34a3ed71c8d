// What "koya publish" uploads: a folder, packed, or an archive as it is. Reads local files only.
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
  UniqueFd file;  // of an archive, or of a temporary file that has no name any more
  std::uint64_t size = 0;
  ArchiveKind kind = ArchiveKind::kTarGz;
  std::uint64_t packed_files = 0;              // 0 when PATH was an archive
  std::vector<std::string> copied_links = {};  // in whose place copies were packed
};

// Where temporary files go: TMPDIR, else /tmp.
std::filesystem::path TemporaryFolder(const Variables& variables);

// Opens PATH: a folder, a .tar.gz, a .tgz or a .zip. Fails: kInvalid (not there, another kind of
// file, empty, or what PackModuleFolder refuses), kStorageFull (no room for the temporary file).
Result<Package> OpenPackage(const std::filesystem::path& path,
                            const std::filesystem::path& temporary_folder);

// What is inside, read here. Fails: kRefused: it is no module that clients could unpack.
Result<inspect::ModuleContents> ReadPackage(const Package& package,
                                            const inspect::ReadOptions& options);

}  // namespace koya::cli
