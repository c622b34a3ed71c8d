// That something was used, and when.
#pragma once

#include <string>

#include "base/clock.h"
#include "domain/digest.h"

namespace koya {

struct Use {
  Digest digest;  // of a blob, or a token's secret
  UnixSeconds at = 0;
  std::string from = {};  // of a token: the address that sent it; "": not known
};

}  // namespace koya
