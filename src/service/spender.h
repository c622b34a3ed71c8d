// What one token or address has used of what it may use. See request_limits.h.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace koya::service {

// Requests as a bucket that holds a second's worth and fills evenly. One thread at a time.
class RequestBucket {
 public:
  using Time = std::chrono::nanoseconds;

  // Takes one request at `now`, of `per_second` (> 0). Returns 0, or how long until there is one
  // again, in which case nothing was taken. A clock that goes back does no harm.
  Time Take(Time now, std::uint64_t per_second);

 private:
  Time full_at_{};  // when it would be full again
};

// Bytes of one day, as far as they are known here. One thread at a time, but for the meter.
class DailyBytes {
 public:
  // Where bytes are added as they are sent, by whomever.
  std::atomic<std::uint64_t> meter = 0;

  // Forgets what was sent on another day than `day`.
  void Turn(std::int64_t day);
  // All that is known of the day.
  std::uint64_t Sum() const { return told_ + meter.load(std::memory_order_relaxed); }
  // What is to be told to the catalog, if it comes to `least`; else 0.
  std::uint64_t Take(std::uint64_t least);
  // What was taken could not be told.
  void PutBack(std::uint64_t taken);
  // What the catalog says that all servers have sent on `day`.
  void Learn(std::int64_t day, std::uint64_t sum);

 private:
  std::int64_t day_ = 0;
  std::uint64_t told_ = 0;  // of all servers, with what was taken here
};

struct Spender {
  std::string name;
  RequestBucket requests;
  DailyBytes bytes;
  bool listed = false;      // among those of whom the catalog is to be asked
  std::uint64_t round = 0;  // in which it was last
};

}  // namespace koya::service
