// Time sources, passed in so that tests can set the time; formats of times, durations and sizes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace koya {

// Seconds since 1970-01-01T00:00:00Z. The catalog stores times in this form.
using UnixSeconds = std::int64_t;

class Clock {
 public:
  virtual ~Clock() = default;
  // The wall clock. Thread-safe.
  virtual UnixSeconds Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  UnixSeconds Now() const override;
};

// Uptime of this machine, sleep included (CLOCK_BOOTTIME): never set back, and advances while the
// process is stopped. Use it for ages, never for points in time.
std::chrono::nanoseconds TimeSinceBoot();

// RFC 3339 in UTC: "2026-11-21T16:41:10Z".
std::string FormatRfc3339(UnixSeconds time);
// The reverse, from the year 1970 to 9999; a date alone ("2026-11-21") means the start of that day.
std::optional<UnixSeconds> ParseRfc3339(std::string_view text);

// "5s", "15m", "2h", "90d": the form durations have in settings and flags. Whole numbers only.
std::optional<std::chrono::seconds> ParseDuration(std::string_view text);
std::string FormatDuration(std::chrono::seconds duration);

// "500MiB", "1GiB", "64KiB", "100B": the form sizes have in settings.
std::optional<std::uint64_t> ParseSize(std::string_view text);
std::string FormatSize(std::uint64_t bytes);

using SteadyTime = std::chrono::steady_clock::time_point;

// Time and randomness for exchanges with upstreams; tests set both. Thread-safe.
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
