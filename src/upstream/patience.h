// How long somebody waits for what they asked of upstream: until their deadline, and only while
// they are there at all. The deadline counts from when they asked, so that time in a queue is time.
#pragma once

#include <stop_token>

#include "base/exchange_clock.h"
#include "base/result.h"

namespace koya::upstream {

struct Patience {
  SteadyTime deadline = SteadyTime::max();
  // Requested when the server stops, or nobody wants the answer any more: then whatever is under
  // way ends at once with GivenUp.
  std::stop_token stop = {};
};

inline Failure GivenUp() {
  return Fail(ErrorKind::kUnavailable, "the server is stopping; ask again in a moment");
}

}  // namespace koya::upstream
