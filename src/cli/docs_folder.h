// Packs a provider's docs, as its author keeps them, into the docs file of a release.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace koya::cli {

struct PackedDocs {
  UniqueFd file;  // a zip; equal pages give equal bytes
  std::uint64_t size = 0;
  std::size_t pages = 0;
  std::size_t links = 0;  // symbolic links, which were skipped
};

// Packs the Markdown files of `folder`: the folder of the pages (docs, website/docs), or the
// project that has one; if the project has both, the legacy one, as the public registries do.
// Writes to an unnamed file in `temporary_folder`. Fails: kInvalid: no page, a name that cannot be
// packed, or a file that cannot be read; kTooLarge; kStorageFull.
Result<PackedDocs> PackDocs(const std::filesystem::path& folder,
                            const std::filesystem::path& temporary_folder);

}  // namespace koya::cli
