// Whether, and when, what failed is tried again.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "base/exchange_clock.h"
#include "blobs/s3/operation.h"

namespace koya::s3 {

// Ends storms: each try that is not the first costs one, and each success gives a tenth back, so
// that a store that fails everybody is not asked five times as much. Thread-safe.
class RetryBudget {
 public:
  static constexpr double kMost = 50;
  static constexpr double kGivenBack = 0.1;

  bool Take();
  void Succeeded();
  double left() const;

 private:
  mutable std::mutex mutex_;
  double left_ = kMost;
};

// The tries of one operation. Belongs to one thread.
class Retries {
 public:
  static constexpr unsigned kMostTries = 5;

  // `patience` counts from now. With `from_failure`, for what takes long when nothing is wrong, it
  // counts from the first failure.
  Retries(RetryBudget& budget, ExchangeClock& clock, std::chrono::milliseconds patience,
          bool from_failure);

  // After an attempt that ended in `trouble`: how long to wait before the next one; nothing: that
  // was the last. `asked`: what the store said in Retry-After.
  std::optional<std::chrono::milliseconds> Next(Trouble trouble,
                                                std::optional<std::chrono::seconds> asked);
  // Something has been achieved: everything counts anew, and the next try costs nothing, since it
  // is not what was done before.
  void Progressed();
  // What is left of the patience, at least a second.
  std::chrono::milliseconds Left() const;
  unsigned tries() const { return tries_; }

 private:
  std::optional<std::chrono::milliseconds> Later(std::optional<std::chrono::seconds> asked);

  RetryBudget& budget_;
  ExchangeClock& clock_;
  const std::chrono::milliseconds patience_;
  const bool from_failure_;
  std::optional<SteadyTime> began_;
  unsigned tries_ = 0;  // that failed
  bool is_free_ = false;
  bool started_slowly_ = false;
  bool set_the_clock_ = false;
  bool renewed_ = false;
};

}  // namespace koya::s3
