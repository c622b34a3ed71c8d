// What upstream itself said is there, and is not.
#pragma once

#include "base/result.h"

namespace koya::upstream {

// A failure to fetch what one of upstream's own documents names, as its clients see it: that it is
// missing is upstream's fault (kBadUpstream). kNotFound would say that there is no such release.
template <class T>
Result<T> Promised(Result<T> result) {
  if (!result && result.error().kind == ErrorKind::kNotFound) {
    result.error().kind = ErrorKind::kBadUpstream;
  }
  return result;
}

}  // namespace koya::upstream
