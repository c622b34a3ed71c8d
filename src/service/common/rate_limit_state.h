// Usage of one token or address, to be compared with its limits. See request_limits.h.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace koya::service {

// Token bucket that holds a second's worth of requests and fills evenly. One thread at a time.
class TokenBucket {
 public:
  using Time = std::chrono::nanoseconds;

  // Takes one request at `now`; the rate is `per_second` (> 0). Returns 0, or the time until a
  // request is available, in which case nothing was taken. A clock that goes back does no harm.
  Time TakeRequest(Time now, std::uint64_t per_second);

 private:
  Time full_at_{};  // when the bucket will be full
};

// Bytes of one day, as far as this server knows. One thread at a time, except for the meter.
class DailyQuota {
 public:
  // Counts bytes as they are sent, on any thread.
  std::atomic<std::uint64_t> meter = 0;

  // Resets the count unless it is for `day`.
  void Roll(std::int64_t day);
  // Known bytes of the day, of all servers.
  std::uint64_t Sum() const { return told_ + meter.load(std::memory_order_relaxed); }
  // Takes the bytes to report to the catalog, if there are at least `least`; else returns 0.
  std::uint64_t Drain(std::uint64_t least);
  // Undoes Drain() after a failed report.
  void PutBack(std::uint64_t taken);
  // Sets the sum of all servers for `day`, as reported by the catalog.
  void Merge(std::int64_t day, std::uint64_t sum);

 private:
  std::int64_t day_ = 0;
  std::uint64_t told_ = 0;  // of all servers, including the bytes taken here
};

struct RateLimitState {
  std::string name;
  TokenBucket requests;
  DailyQuota bytes;
  bool listed = false;      // queued for a report to the catalog
  std::uint64_t round = 0;  // the last report round that took it
};

}  // namespace koya::service
