// Time and randomness for exchanges with upstreams; tests set both.
#pragma once

#include <chrono>
#include <stop_token>

#include "base/clock.h"

namespace koya {

using SteadyTime = std::chrono::steady_clock::time_point;

// Thread-safe.
class ExchangeClock {
 public:
  virtual ~ExchangeClock() = default;
  virtual SteadyTime Now() const = 0;
  virtual UnixSeconds WallNow() const = 0;  // Retry-After may be a date
  // Ends early once `stop` is requested.
  virtual void Wait(std::chrono::milliseconds duration, const std::stop_token& stop) = 0;
  virtual double Random() = 0;  // from 0 to 1
};

class SystemExchangeClock final : public ExchangeClock {
 public:
  SteadyTime Now() const override;
  UnixSeconds WallNow() const override;
  void Wait(std::chrono::milliseconds duration, const std::stop_token& stop) override;
  double Random() override;
};

}  // namespace koya
