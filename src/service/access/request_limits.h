// Rate limits and daily quotas for each token, or each address that sends none: requests a second,
// and bytes of responses a day (UTC).
//
// Requests are counted on this server alone: a second's worth may arrive at once, and the bucket
// fills evenly. Bytes are counted here and added up in the catalog by a background job, so that
// servers know each other's sums within some seconds; a response in progress is never cut off.
// While the catalog is down, this server's own count continues.
//
// Limits: the most recently used kMostKnown tokens and as many addresses (IPv6: networks,
// base/address_group.h) are in memory; an evicted one starts from zero and gets the day's sum again
// from the catalog. Only those that received a noticeable part of their quota (kNotedShare) are
// reported to the catalog, so that a flood of addresses cannot fill it.
// Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "service/access/rate_limiter_table.h"

namespace koya {
class Clock;
class Logger;
class SentBytesCatalog;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// Limits of one token or address; 0: unlimited.
struct Allowance {
  std::uint64_t requests = 0;       // per second
  std::uint64_t bytes_per_day = 0;  // of response bodies

  bool any() const { return requests != 0 || bytes_per_day != 0; }
};

// Settings limits.token_… and limits.address_….
struct RequestAllowances {
  Allowance token;
  Allowance address;
};

class RequestLimits {
 public:
  static constexpr std::size_t kMostKnown = 65'536;
  // From 1/kNotedShare of a day's bytes on, usage is reported to the catalog.
  static constexpr std::uint64_t kNotedShare = 256;
  static constexpr std::chrono::seconds kShareEvery{2};
  // Moments as of TimeSinceBoot().
  using Moment = std::function<std::chrono::nanoseconds()>;
  // Counter for the bytes of a body as they are sent. Null: not counted.
  using Meter = std::shared_ptr<std::atomic<std::uint64_t>>;

  // All arguments must outlive this.
  RequestLimits(SentBytesCatalog& catalog, Logger& log, const Clock& clock,
                RequestAllowances allowances, Moment now = TimeSinceBoot);

  // Whether there is any limit.
  bool on() const { return on_; }
  // Counts a request: for the token of `who`, or for the address if `who` is null or anonymous.
  // Never waits. Fails: kThrottled (retry_after, limit): over the limit.
  Result<Meter> Count(const auth::Principal* who, std::string_view address);

  // Reports the bytes sent to the catalog, and gets the sums of all servers. Call every kShareEvery
  // and at shutdown, one call at a time. Takes as long as the catalog takes.
  Awaitable<void> Share();

  // Number of tokens and addresses in memory.
  std::size_t known() const { return tokens_.size() + addresses_.size(); }

 private:
  struct Kind {
    Allowance allowance;
    std::string_view whose;  // "this token"
    LimitName requests;
    LimitName bytes;
  };
  Result<Meter> CountFor(RateLimiterTable& table, const Kind& kind, std::string_view name);
  Task<void> ShareSome(RateLimiterTable& table, std::int64_t day,
                       std::vector<RateLimiterTable::Share> shares);

  SentBytesCatalog& catalog_;
  Logger& log_;
  const Clock& clock_;
  const Kind token_;
  const Kind address_;
  const Moment now_;
  const bool on_;
  RateLimiterTable tokens_{kMostKnown};
  RateLimiterTable addresses_{kMostKnown};
  bool told_ = false;  // the log has said that the catalog is down
};

}  // namespace koya::service
