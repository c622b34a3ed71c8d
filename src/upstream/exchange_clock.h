// Time and chance as exchanges with upstreams see them; tests set both.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace koya::upstream {

using SteadyTime = std::chrono::steady_clock::time_point;

// Thread-safe.
class ExchangeClock {
 public:
  virtual ~ExchangeClock() = default;
  virtual SteadyTime Now() const = 0;
  virtual UnixSeconds WallNow() const = 0;  // Retry-After may be a date
  virtual void Wait(std::chrono::milliseconds duration) = 0;
  virtual double Random() = 0;  // from 0 to 1
};

class SystemExchangeClock final : public ExchangeClock {
 public:
  SteadyTime Now() const override;
  UnixSeconds WallNow() const override;
  void Wait(std::chrono::milliseconds duration) override;
  double Random() override;
};

}  // namespace koya::upstream
