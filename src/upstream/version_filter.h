// Which versions of other people's lists are handed on.
#pragma once

#include <cstddef>

#include "wire/providers.h"

namespace koya::upstream {

// Leaves out what would cost a client the whole list, or crash it: versions that are not canonical
// SemVer, numbers of 2^63 and more, 0.0.0, and each spelling after its first. Returns how many.
std::size_t DropUnusableVersions(wire::ProviderVersions& document);

}  // namespace koya::upstream
