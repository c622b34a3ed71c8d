// Finds the file of a provider package that clients run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_entry.h"

namespace koya {

// The file at the root that clients run as provider `type`: of those named
// "terraform-provider-TYPE", alone or followed by "_…" or ".…", the first bytewise. "" when there
// is none. Faults (none, several, one that cannot be the intended one) are added to `problems`, as
// sentences that name the files found instead.
std::string FindProviderBinary(std::span<const ArchiveEntry> entries, std::string_view type,
                               std::vector<std::string>& problems);

}  // namespace koya
