// The deadline of a caller that waits for upstream, and a stop token for when the caller leaves.
// The deadline counts from the request, so that it includes time in a queue.
#pragma once

#include <stop_token>

#include "base/clock.h"
#include "base/result.h"

namespace koya::upstream {

struct Deadline {
  SteadyTime deadline = SteadyTime::max();
  // Requested when the server stops, or when no caller needs the response any more: then all
  // running work ends at once with GivenUp.
  std::stop_token stop = {};
};

inline Failure GivenUp() {
  return FailUnavailable("the server is stopping; try again in a moment");
}

}  // namespace koya::upstream
