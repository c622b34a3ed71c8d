// For tests: clocks that they set, from any thread; and the chance of exchanges.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <stop_token>

#include "base/clock.h"

namespace koya {

class ManualClock final : public Clock {
 public:
  UnixSeconds Now() const override { return now; }
  std::atomic<UnixSeconds> now = 1'795'279'270;  // 2026-11-21T16:41:10Z
};

// Stands still but for Wait, which does not wait, and Advance.
class FakeExchangeClock final : public ExchangeClock {
 public:
  SteadyTime Now() const override {
    std::lock_guard lock(mutex_);
    return SteadyTime() + std::chrono::hours(1) + passed_;
  }
  UnixSeconds WallNow() const override { return 1'750'000'000; }
  void Wait(std::chrono::milliseconds duration, const std::stop_token&) override {
    std::lock_guard lock(mutex_);
    passed_ += duration;
    waited_ += duration;
  }
  double Random() override { return 0; }

  void Advance(std::chrono::milliseconds duration) {
    std::lock_guard lock(mutex_);
    passed_ += duration;
  }
  // In all calls of Wait.
  std::chrono::milliseconds waited() const {
    std::lock_guard lock(mutex_);
    return waited_;
  }

 private:
  mutable std::mutex mutex_;
  std::chrono::milliseconds passed_{0};
  std::chrono::milliseconds waited_{0};
};

}  // namespace koya
