// A record that something was used, and when.
#pragma once

#include <string>

#include "base/clock.h"
#include "domain/digest.h"

namespace koya {

struct Use {
  Digest digest;  // of a blob, or of a token's secret
  UnixSeconds at = 0;
  std::string from = {};  // for a token: the address that sent it; "": not known
};

}  // namespace koya
