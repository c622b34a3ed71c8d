// What becomes of noting that something was used.
//
// A note is a statistic: whatever becomes of it, the thing itself is served. A catalog that takes
// no notes (a full disk, a database that is read-only for now) is told of in the log, once a
// minute. Threads: any.
#pragma once

#include <atomic>

#include "base/clock.h"
#include "base/result.h"
#include "obs/log.h"

namespace koya::service {

class UseNotes {
 public:
  // `log` must outlive this.
  explicit UseNotes(Logger& log) : log_(log) {}

  void Settle(const Status& noted, UnixSeconds now) {
    if (noted) return;
    UnixSeconds quiet_until = quiet_until_.load();
    if (now < quiet_until && now + kQuiet >= quiet_until) return;
    if (!quiet_until_.compare_exchange_strong(quiet_until, now + kQuiet)) return;
    log_.Failure("that something was used cannot be noted; it is served all the same",
                 noted.error());
  }

 private:
  static constexpr UnixSeconds kQuiet = 60;

  Logger& log_;
  std::atomic<UnixSeconds> quiet_until_ = 0;
};

}  // namespace koya::service
