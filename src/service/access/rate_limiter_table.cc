#include "service/access/rate_limiter_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

namespace {

// Of the ones that asked longest ago, so many are looked at for one that can go.
constexpr int kLookedAt = 8;

// A recipient that is being sent bytes has a meter, beside the table and the list.
bool IsBeingSent(const std::shared_ptr<RateLimitState>& state, long held_here) {
  return state.use_count() > held_here + (state->listed ? 1 : 0);
}

}  // namespace

const std::shared_ptr<RateLimitState>& RateLimiterTable::FindState(Shard& shard,
                                                                   std::string_view name) {
  if (auto found = shard.states.find(name); found != shard.states.end()) {
    shard.recency.splice(shard.recency.begin(), shard.recency, found->second);
    return *found->second;
  }
  if (shard.recency.size() >= shard_most_) MakeRoom(shard);
  auto state = std::make_shared<RateLimitState>();
  state->name = name;
  shard.recency.push_front(std::move(state));
  auto first = shard.recency.begin();
  shard.states.emplace((*first)->name, first);
  return *first;
}

void RateLimiterTable::MakeRoom(Shard& shard) {
  auto oldest = std::prev(shard.recency.end());
  auto gone = oldest;
  for (int looked = 1; looked < kLookedAt && IsBeingSent(*gone, 1); ++looked) {
    if (gone == shard.recency.begin()) break;
    --gone;
  }
  if (IsBeingSent(*gone, 1)) gone = oldest;
  shard.states.erase((*gone)->name);
  shard.recency.erase(gone);
}

void RateLimiterTable::List(const std::shared_ptr<RateLimitState>& state) {
  Shard& shard = ShardOf(state->name);
  if (state->listed || shard.listed.size() >= shard_most_) return;
  state->listed = true;
  shard.listed.push_back(state);
}

// One is held by the list, and one by the table unless it has forgotten them.
void RateLimiterTable::TakeFrom(Shard& shard, std::vector<Share>& shares, const Wanted& wanted) {
  std::lock_guard lock(shard.mutex);
  std::erase_if(shard.listed, [&](const std::shared_ptr<RateLimitState>& state) {
    if (shares.size() >= wanted.most || state->round == wanted.round) return false;
    state->bytes.Roll(wanted.day);
    const std::uint64_t bytes = state->bytes.Drain(wanted.least);
    if (bytes == 0 && wanted.with_bytes) return false;
    state->round = wanted.round;
    state->listed = IsBeingSent(state, 1);
    shares.push_back({state, bytes});
    return !state->listed;
  });
}

std::vector<RateLimiterTable::Share> RateLimiterTable::TakeShares(std::size_t most,
                                                                  std::int64_t day,
                                                                  std::uint64_t least) {
  std::vector<Share> shares;
  ++round_;
  for (bool with_bytes : {true, false}) {
    const Wanted wanted{most, day, least, round_, with_bytes};
    for (std::size_t i = 0; i < kShards; ++i) {
      TakeFrom(shards_[(round_ + i) % kShards], shares, wanted);
    }
  }
  return shares;
}

void RateLimiterTable::Learn(const Share& share, std::int64_t day, std::uint64_t sum) {
  std::lock_guard lock(ShardOf(share.state->name).mutex);
  share.state->bytes.Merge(day, sum);
}

void RateLimiterTable::PutBack(const Share& share) {
  std::lock_guard lock(ShardOf(share.state->name).mutex);
  share.state->bytes.PutBack(share.bytes);
  List(share.state);
}

std::size_t RateLimiterTable::size() const {
  std::size_t sum = 0;
  for (const Shard& shard : shards_) {
    std::lock_guard lock(shard.mutex);
    sum += shard.recency.size();
  }
  return sum;
}

}  // namespace koya::service
