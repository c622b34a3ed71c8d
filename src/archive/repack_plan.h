// Plans a repack: the files to write, and the source of each file's content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"
#include "base/result.h"

namespace koya {

struct PlannedFile {
  ArchiveEntry file;       // its name in the repack
  std::size_t source = 0;  // index of the archive entry with its content
};

struct RepackPlan {
  std::vector<PlannedFile> files;     // sorted bytewise by name
  std::vector<std::string> left_out;  // files that could not be included, as sentences; at most 20
  std::uint64_t steps = 0;            // cost of planning: at most 16 for each of limits.entries
};

// Plans the module in `folder` (see RepackForeignModule) of an archive with these entries, links
// among them. A link to a file becomes a copy of it, a link to a folder a copy of the files in it;
// links that lead out of the archive, nowhere, or in circles are left out. Fails: kRefused: no such
// folder, no configuration in it, names that cannot coexist on any file system, copies beyond the
// limits.
Result<RepackPlan> PlanForeignModule(std::span<const ArchiveEntry> entries, std::string_view folder,
                                     const ArchiveLimits& limits);

}  // namespace koya
