// Which files a repack writes, and where each has its content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_entry.h"
#include "archive/archive_limits.h"
#include "base/result.h"

namespace koya {

struct PlannedFile {
  ArchiveEntry file;       // its name in the repack
  std::size_t source = 0;  // which entry of the archive has its content
};

struct RepackPlan {
  std::vector<PlannedFile> files;     // sorted bytewise by name
  std::vector<std::string> left_out;  // what could not be taken along, as sentences; at most 20
  std::uint64_t steps = 0;            // what planning cost: at most 16 for each of limits.entries
};

// Plans the module that lies in `folder` (see RepackForeignModule) of an archive with these
// entries, links among them. A link to a file becomes a copy of it, a link to a folder a copy of
// the files in it; links that lead out of the archive, nowhere, or round in circles are left out.
// Fails: kRefused: no such folder, no configuration in it, names that no file system holds side by
// side, copies beyond the limits.
Result<RepackPlan> PlanForeignModule(std::span<const ArchiveEntry> entries, std::string_view folder,
                                     const ArchiveLimits& limits);

}  // namespace koya
