// For tests: a clock that they set, from any thread.
#pragma once

#include <atomic>

#include "base/clock.h"

namespace koya {

class ManualClock final : public Clock {
 public:
  UnixSeconds Now() const override { return now; }
  std::atomic<UnixSeconds> now = 1'795'279'270;  // 2026-11-21T16:41:10Z
};

}  // namespace koya
