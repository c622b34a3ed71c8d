// That something was used, and when.
#pragma once

#include "base/clock.h"
#include "domain/digest.h"

namespace koya {

struct Use {
  Digest digest;  // of a blob, or a token's secret
  UnixSeconds at = 0;
};

}  // namespace koya
