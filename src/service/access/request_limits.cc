#include "service/access/request_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "auth/principal.h"
#include "base/address_group.h"
#include "catalog/usage_catalog.h"
#include "obs/log.h"
#include "service/access/rate_limiter_table.h"

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

}  // namespace koya::service
