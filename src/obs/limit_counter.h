// Counts reached limits, and decides when the log reports a limit again.
//
//   koya_limit_reached_total{limit}     limit: a setting's name, or "fixed." and a name
//
// Threads: every method may be called from any thread, CountIn() before the others only.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "obs/metrics.h"

namespace koya {

class LimitCounter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kQuiet{1};  // between two log lines about one limit

  // Counts in `metrics` from now on, which must outlive this.
  void CountIn(Metrics& metrics) { metrics_ = &metrics; }

  // Returns how often `limit` was reached since the log last reported it; 0: that was less than
  // kQuiet ago. REQUIRES: the name is not empty.
  std::uint64_t Count(LimitName limit, Time now);

 private:
  struct Reached {
    std::optional<MetricCounter> counter;
    std::optional<Time> told;
    std::uint64_t since = 0;
  };
  Metrics* metrics_ = nullptr;
  std::mutex mutex_;
  std::map<std::string_view, Reached> reached_;  // the keys are literals
};

}  // namespace koya
