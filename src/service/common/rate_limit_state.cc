#include "service/common/rate_limit_state.h"

#include <algorithm>

namespace koya::service {

TokenBucket::Time TokenBucket::TakeRequest(Time now, std::uint64_t per_second) {
  constexpr Time kSecond = std::chrono::seconds(1);
  const Time each = std::max(kSecond / static_cast<std::int64_t>(per_second), Time(1));
  // A time further away than a whole bucket was written before the clock was set back.
  const Time full_at = std::clamp(full_at_, now, now + kSecond);
  const Time wait = full_at + each - (now + kSecond);
  if (wait > Time::zero()) return wait;
  full_at_ = full_at + each;
  return Time::zero();
}

void DailyQuota::Roll(std::int64_t day) {
  if (day == day_) return;
  day_ = day;
  told_ = 0;
  meter.store(0, std::memory_order_relaxed);
}

std::uint64_t DailyQuota::Drain(std::uint64_t least) {
  std::uint64_t taken = meter.load(std::memory_order_relaxed);
  if (taken == 0 || taken < least) return 0;
  meter.fetch_sub(taken, std::memory_order_relaxed);
  told_ += taken;
  return taken;
}

void DailyQuota::PutBack(std::uint64_t taken) {
  if (taken > told_) return;  // of a day that is over
  told_ -= taken;
  meter.fetch_add(taken, std::memory_order_relaxed);
}

void DailyQuota::Merge(std::int64_t day, std::uint64_t sum) {
  if (day == day_) told_ = std::max(told_, sum);
}

}  // namespace koya::service
