// Corrects what other registries answer before it is passed on.
#pragma once

#include <cstddef>

#include "base/result.h"

namespace koya::wire {
struct ProviderVersions;
}

namespace koya::upstream {

// A failure to fetch something that one of upstream's own documents names, as clients see it: its
// absence is upstream's fault (kBadUpstream). kNotFound would mean that there is no such release.
template <class T>
Result<T> NotFoundAsBadGateway(Result<T> result) {
  if (!result && result.error().kind == ErrorKind::kNotFound) {
    result.error().kind = ErrorKind::kBadUpstream;
  }
  return result;
}

// Removes versions that would cost a client the whole list, or crash it: versions that are not
// canonical SemVer, numbers of 2^63 and more, 0.0.0, and each spelling after its first. Returns
// their number.
std::size_t DropUnusableVersions(wire::ProviderVersions& document);

}  // namespace koya::upstream
