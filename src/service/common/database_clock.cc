#include "service/common/database_clock.h"

#include <cstdlib>
#include <utility>

#include "catalog/replica_catalog.h"
#include "obs/log.h"

namespace koya::service {
namespace {

using std::chrono::nanoseconds;

// Half of it is how wrong the answer may be: as much as the whole seconds that are compared.
constexpr std::chrono::seconds kSlow{1};

}  // namespace

DatabaseClock::DatabaseClock(DatabaseTime& database, Logger& log, Machine machine)
    : database_(database), log_(log), machine_(std::move(machine)) {}

UnixSeconds DatabaseClock::Now() const {
  const std::int64_t origin = origin_.load(std::memory_order_relaxed);
  const nanoseconds now =
      origin == kNotAsked ? machine_.wall() : nanoseconds(origin) + machine_.up();
  return std::chrono::floor<std::chrono::seconds>(now).count();
}

nanoseconds DatabaseClock::ahead() const {
  const std::int64_t origin = origin_.load(std::memory_order_relaxed);
  if (origin == kNotAsked) return nanoseconds::zero();
  return machine_.wall() - (nanoseconds(origin) + machine_.up());
}

Awaitable<void> DatabaseClock::Synchronize() {
  const nanoseconds asked = machine_.up();
  Result<std::chrono::milliseconds> there = co_await database_.AskTime();
  const nanoseconds took = machine_.up() - asked;
  if (!there || took > kSlow) co_return;
  SetOrigin(*there, asked + took / 2);
}

void DatabaseClock::SetOrigin(nanoseconds there, nanoseconds at) {
  origin_.store((there - at).count(), std::memory_order_relaxed);
  const nanoseconds off = ahead();
  const bool far_off = std::chrono::abs(off) > kFarOff;
  if (far_off == std::exchange(told_, far_off)) return;
  if (!far_off) return log_.Info("this machine's clock agrees with the database's again");
  log_.Warn(
      "this machine's clock differs from the database's, which decides what has expired; times in "
      "this log are this machine's: correct one of the clocks",
      {{"ahead_s", std::chrono::duration_cast<std::chrono::seconds>(off).count()}});
}

}  // namespace koya::service
