// Converts kNotFound for things that upstream itself promised.
#pragma once

#include "base/result.h"

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

}  // namespace koya::upstream
