// Why a version of a module or provider is no longer there.
#pragma once

#include <string>

#include "base/clock.h"

namespace koya {

struct Withdrawal {
  UnixSeconds at = 0;
  std::string by;
  std::string reason;
};

}  // namespace koya
