#include "service/access/request_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "auth/principal.h"
#include "base/address_group.h"
#include "catalog/usage_catalog.h"
#include "obs/log.h"

namespace koya::service {
namespace {

constexpr UnixSeconds kDay = 86'400;
constexpr std::size_t kMostShares = 500;  // in one transaction: others who write wait for it

unsigned WholeSeconds(std::chrono::nanoseconds wait) {
  return static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(wait).count());
}

Failure Throttled(LimitName limit, unsigned retry_after, std::string message) {
  Failure failure = FailLimit(ErrorKind::kThrottled, limit, std::move(message));
  failure.error().retry_after = retry_after;
  return failure;
}

Failure TooOften(LimitName limit, std::string_view whose, std::uint64_t per_second,
                 unsigned retry_after) {
  return Throttled(limit, retry_after,
                   fmt::format("{} can send {} requests a second, which is {}: try again in {} s",
                               whose, per_second, limit.text(), retry_after));
}

Failure TooMuch(LimitName limit, std::string_view whose, std::uint64_t bytes, UnixSeconds now) {
  const UnixSeconds tomorrow = (now / kDay + 1) * kDay;
  return Throttled(
      limit, static_cast<unsigned>(tomorrow - now),
      fmt::format("{} has used up its quota of bytes a day, {}, which is {}: try again after {}",
                  whose, FormatSize(bytes), limit.text(), FormatRfc3339(tomorrow)));
}

// By name, which a token keeps when its text is replaced. A session is counted with its user's
// others.
std::string SpenderName(const auth::Principal& who) {
  using Kind = auth::CapabilityBearer::Kind;
  const bool session = who.bearer && who.bearer->kind == Kind::kSession;
  return (session ? "session:" : "token:") + who.name;
}

}  // namespace

RequestLimits::RequestLimits(SentBytesCatalog& catalog, Logger& log, const Clock& clock,
                             RequestAllowances allowances, Moment now)
    : catalog_(catalog),
      log_(log),
      clock_(clock),
      token_{allowances.token, "this token", "limits.token_requests", "limits.token_bytes_per_day"},
      address_{allowances.address, "this address", "limits.address_requests",
               "limits.address_bytes_per_day"},
      now_(std::move(now)),
      on_(allowances.token.any() || allowances.address.any()) {}

Result<RequestLimits::Meter> RequestLimits::Count(const auth::Principal* who,
                                                  std::string_view address) {
  if (!on_) return Meter();
  if (who != nullptr && !who->is_anonymous()) {
    return token_.allowance.any() ? CountFor(tokens_, token_, SpenderName(*who)) : Meter();
  }
  if (!address_.allowance.any()) return Meter();
  return CountFor(addresses_, address_, "address:" + AddressGroup(address));
}

Result<RequestLimits::Meter> RequestLimits::CountFor(RateLimiterTable& table, const Kind& kind,
                                                     std::string_view name) {
  const Allowance& may = kind.allowance;
  auto count = [&](const std::shared_ptr<RateLimitState>& state) -> Result<Meter> {
    if (may.bytes_per_day != 0) {
      const UnixSeconds now = clock_.Now();
      state->bytes.Roll(now / kDay);
      table.List(state);
      if (state->bytes.Sum() >= may.bytes_per_day) {
        return TooMuch(kind.bytes, kind.whose, may.bytes_per_day, now);
      }
    }
    if (may.requests != 0) {
      const auto wait = state->requests.TakeRequest(now_(), may.requests);
      if (wait > wait.zero()) {
        return TooOften(kind.requests, kind.whose, may.requests, WholeSeconds(wait));
      }
    }
    if (may.bytes_per_day == 0) return Meter();
    return Meter(state, &state->bytes.meter);
  };
  return table.With(name, count);
}

Awaitable<void> RequestLimits::Share() {
  const std::int64_t day = clock_.Now() / kDay;
  for (auto [table, kind] : {std::pair(&tokens_, &token_), std::pair(&addresses_, &address_)}) {
    const std::uint64_t least = kind->allowance.bytes_per_day / kNotedShare;
    std::vector<RateLimiterTable::Share> shares = table->TakeShares(kMostShares, day, least);
    if (shares.empty()) continue;
    Status shared = co_await ShareSome(*table, day, std::move(shares));
    if (!shared && !told_) {
      log_.Failure(
          "today's sent bytes cannot be added up across servers; each server counts only its own",
          shared.error());
    }
    told_ = !shared;
  }
}

Task<void> RequestLimits::ShareSome(RateLimiterTable& table, std::int64_t day,
                                    std::vector<RateLimiterTable::Share> shares) {
  std::vector<SentBytes> more;
  more.reserve(shares.size());
  for (const RateLimiterTable::Share& share : shares) {
    more.push_back({share.state->name, share.bytes});
  }
  Result<std::vector<std::uint64_t>> sums = co_await catalog_.AddSentBytes(day, std::move(more));
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (sums) table.Learn(shares[i], day, (*sums)[i]);
    if (!sums) table.PutBack(shares[i]);
  }
  if (!sums) co_return Failure(std::move(sums).error());
  co_return Status();
}

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
