#include "obs/limit_counter.h"

#include <string>
#include <utility>

namespace koya {

std::uint64_t LimitCounter::Count(LimitName limit, Time now) {
  std::lock_guard lock(mutex_);
  Reached& reached = reached_[limit.text()];
  if (!reached.counter && metrics_ != nullptr) {
    reached.counter =
        metrics_->Counter("koya_limit_reached_total", "Times that a limit on input was reached.",
                          {{"limit", std::string(limit.text())}});
  }
  if (reached.counter) reached.counter->Add();
  ++reached.since;
  if (reached.told && now - *reached.told < kQuiet) return 0;
  reached.told = now;
  return std::exchange(reached.since, 0);
}

}  // namespace koya
