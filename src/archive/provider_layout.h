// Which file of a provider package do clients run?
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_entry.h"

namespace koya {

// The file at the root that clients run as provider `type`: of those named
// "terraform-provider-TYPE", or that with "_…" or ".…" behind it, the first bytewise. "" when there
// is none. What is wrong about it (none, several, one that cannot be meant) is added to `problems`,
// as sentences that name what was found instead.
std::string FindProviderBinary(std::span<const ArchiveEntry> entries, std::string_view type,
                               std::vector<std::string>& problems);

}  // namespace koya
