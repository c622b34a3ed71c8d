// Filters versions in lists of other registries before they are passed on.
#pragma once

#include <cstddef>

#include "wire/providers.h"

namespace koya::upstream {

// Removes versions that would cost a client the whole list, or crash it: versions that are not
// canonical SemVer, numbers of 2^63 and more, 0.0.0, and each spelling after its first. Returns
// their number.
std::size_t DropUnusableVersions(wire::ProviderVersions& document);

}  // namespace koya::upstream
