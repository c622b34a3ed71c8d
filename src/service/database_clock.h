// The time that servers on one catalog compare: the database's, and not each machine's own.
//
// A token that ends at noon ends at the same moment on every server, whatever their clocks say: it
// is asked now and then what time the database has, and in between this machine's up-time runs on
// (TimeSinceBoot), which nobody sets. Until the database has been asked, the machine's own clock
// counts. That it is far off is told in the log, once.
// Threads: any; Ask() by one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "base/task.h"

namespace koya {
class DatabaseTime;
class Logger;
}  // namespace koya

namespace koya::service {

class DatabaseClock final : public Clock {
 public:
  static constexpr std::chrono::seconds kAskEvery{10};
  static constexpr std::chrono::seconds kFarOff{2};
  // What tells the time here; tests have others.
  struct Machine {
    std::function<std::chrono::nanoseconds()> up = TimeSinceBoot;
    // Since 1970.
    std::function<std::chrono::nanoseconds()> wall = [] {
      return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch());
    };
  };

  // Both outlive this.
  DatabaseClock(DatabaseTime& database, Logger& log) : DatabaseClock(database, log, Machine()) {}
  DatabaseClock(DatabaseTime& database, Logger& log, Machine machine);

  UnixSeconds Now() const override;
  // How far this machine's clock is ahead of the database's; 0 until it has been asked.
  std::chrono::nanoseconds ahead() const;
  // Asks what time it is. To be called at the start and every kAskEvery. What is not answered, or
  // so slowly that it says little, leaves everything as it was.
  Awaitable<void> Ask();

 private:
  // REQUIRES: it was `there` in the database at about `at` of TimeSinceBoot().
  void Settle(std::chrono::nanoseconds there, std::chrono::nanoseconds at);

  static constexpr std::int64_t kNotAsked = INT64_MIN;

  DatabaseTime& database_;
  Logger& log_;
  const Machine machine_;
  // The database's time when this machine's up-time was 0, in nanoseconds since 1970.
  std::atomic<std::int64_t> origin_ = kNotAsked;
  bool told_ = false;  // that the clocks differ
};

}  // namespace koya::service
