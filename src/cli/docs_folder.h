// A provider's docs as its author has them, made into the file of a release.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace koya::cli {

struct PackedDocs {
  UniqueFd file;  // a zip, the same bytes for the same pages
  std::uint64_t size = 0;
  std::size_t pages = 0;
  std::size_t links = 0;  // symbolic links, which were left out
};

// `folder` is the folder of the pages (docs, website/docs), or the project that has one; of a
// project that has both, the legacy one is taken, as the public registries do. Only Markdown is
// packed. Written to a file without a name in `temporary_folder`. Fails: kInvalid: no page there, a
// name that cannot be packed, or a file that cannot be read; kTooLarge; kStorageFull.
Result<PackedDocs> PackDocs(const std::filesystem::path& folder,
                            const std::filesystem::path& temporary_folder);

}  // namespace koya::cli
