// Retry policy: whether and when a failed attempt is retried.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "blobs/s3/operation.h"

namespace koya::s3 {

// Prevents retry storms: each retry costs one, and each success gives a tenth back, so that a store
// that fails all requests does not get five times as many. Thread-safe.
class RetryBudget {
 public:
  static constexpr double kMost = 50;
  static constexpr double kGivenBack = 0.1;

  bool TakeRetry();
  void Succeeded();
  double left() const;

 private:
  mutable std::mutex mutex_;
  double left_ = kMost;
};

// Retries of one operation. Belongs to one thread.
class Retries {
 public:
  static constexpr unsigned kMostTries = 5;

  // `patience` counts from now. With `from_failure`, for operations that are slow even without a
  // fault, it counts from the first failure.
  Retries(RetryBudget& budget, ExchangeClock& clock, std::chrono::milliseconds patience,
          bool from_failure);

  // Call after an attempt that ended in `trouble`. Returns the wait before the next attempt;
  // nullopt: there is none. `asked`: the store's Retry-After.
  std::optional<std::chrono::milliseconds> Next(FailureClass trouble,
                                                std::optional<std::chrono::seconds> asked);
  // Call after progress: resets all counts and limits, and the next retry costs nothing, because it
  // does not repeat earlier work.
  void Progressed();
  // Remaining part of the patience, at least a second.
  std::chrono::milliseconds Left() const;
  unsigned tries() const { return tries_; }

 private:
  std::optional<std::chrono::milliseconds> Later(std::optional<std::chrono::seconds> asked);

  RetryBudget& budget_;
  ExchangeClock& clock_;
  const std::chrono::milliseconds patience_;
  const bool from_failure_;
  std::optional<SteadyTime> began_;
  unsigned tries_ = 0;  // failed ones
  bool is_free_ = false;
  bool started_slowly_ = false;
  bool set_the_clock_ = false;
  bool renewed_ = false;
};

}  // namespace koya::s3
