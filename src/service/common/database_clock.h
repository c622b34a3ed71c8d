// Clock that follows the database's time, which all servers on one catalog share.
//
// A token that expires at noon expires at the same moment on every server, whatever their clocks
// show: the server asks the database for its time now and then, and in between adds this machine's
// up-time (TimeSinceBoot), which cannot be set. Until the database has answered once, the machine's
// own clock counts. If that is far off, the log says so, once.
// Threads: any; Synchronize() by one at a time.
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
  // Sources of time on this machine; tests replace them.
  struct Machine {
    std::function<std::chrono::nanoseconds()> up = TimeSinceBoot;
    // Since 1970.
    std::function<std::chrono::nanoseconds()> wall = [] {
      return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch());
    };
  };

  // Both arguments must outlive this.
  DatabaseClock(DatabaseTime& database, Logger& log) : DatabaseClock(database, log, Machine()) {}
  DatabaseClock(DatabaseTime& database, Logger& log, Machine machine);

  UnixSeconds Now() const override;
  // How far this machine's clock is ahead of the database's; 0 until it has been asked.
  std::chrono::nanoseconds ahead() const;
  // Asks the database for its time. Call at the start and every kAskEvery. Ignores a failed query,
  // and one so slow that its result is imprecise.
  Awaitable<void> Synchronize();

 private:
  // REQUIRES: the database's time was `there` at about `at` of TimeSinceBoot().
  void SetOrigin(std::chrono::nanoseconds there, std::chrono::nanoseconds at);

  static constexpr std::int64_t kNotAsked = INT64_MIN;

  DatabaseTime& database_;
  Logger& log_;
  const Machine machine_;
  // The database's time when this machine's up-time was 0, in nanoseconds since 1970.
  std::atomic<std::int64_t> origin_ = kNotAsked;
  bool told_ = false;  // the log has said that the clocks differ
};

}  // namespace koya::service
