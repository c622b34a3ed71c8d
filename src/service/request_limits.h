// How much one token, or one address that sends none, may ask for: requests a second, and bytes of
// answers a day (UTC).
//
// Requests are counted on this server alone: a second's worth may come at once, and what was used
// comes back evenly. Bytes are counted here and added up in the catalog by a background job, so
// that servers know each other's sums within some seconds; what is under way is never cut off.
// Whatever becomes of the catalog, this server's own count goes on.
//
// Bounds: kMostKnown tokens and as many addresses (IPv6: networks, base/address_group.h) are
// remembered, the ones that asked last; who is forgotten begins anew, and learns the day's sum
// again. The catalog hears of those only who were sent a noticeable part of what they may have
// (kNotedShare), so that a flood of addresses cannot fill it.
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
#include "service/spender_table.h"

namespace koya {
class Clock;
class Logger;
class SentBytesCatalog;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// Of one spender; 0: any number.
struct Allowance {
  std::uint64_t requests = 0;       // a second
  std::uint64_t bytes_per_day = 0;  // of answers' bodies

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
  // 1/n of a day's bytes: from there on the catalog hears of them.
  static constexpr std::uint64_t kNotedShare = 256;
  static constexpr std::chrono::seconds kShareEvery{2};
  // Moments as of TimeSinceBoot().
  using Moment = std::function<std::chrono::nanoseconds()>;
  // Where the bytes of a body are to be added as they leave. Null: nobody counts them.
  using Meter = std::shared_ptr<std::atomic<std::uint64_t>>;

  // Everything given must outlive this.
  RequestLimits(SentBytesCatalog& catalog, Logger& log, const Clock& clock,
                RequestAllowances allowances, Moment now = TimeSinceBoot);

  // Whether anybody is limited.
  bool on() const { return on_; }
  // Counts a request: for the token of `who`, or for the address when there is none that is known
  // to be good (null, or a stranger). Never waits.
  // Fails: kThrottled (retry_after, limit): it is not to be answered.
  Result<Meter> Count(const auth::Principal* who, std::string_view address);

  // Tells the catalog what was sent, and learns what other servers did. To be called every
  // kShareEvery and at the end, by one at a time. As long as the catalog takes.
  Awaitable<void> Share();

  // How many are remembered.
  std::size_t known() const { return tokens_.size() + addresses_.size(); }

 private:
  struct Kind {
    Allowance allowance;
    std::string_view whose;  // "this token"
    LimitName requests;
    LimitName bytes;
  };
  Result<Meter> CountFor(SpenderTable& table, const Kind& kind, std::string_view name);
  Task<void> ShareSome(SpenderTable& table, std::int64_t day,
                       std::vector<SpenderTable::Share> shares);

  SentBytesCatalog& catalog_;
  Logger& log_;
  const Clock& clock_;
  const Kind token_;
  const Kind address_;
  const Moment now_;
  const bool on_;
  SpenderTable tokens_{kMostKnown};
  SpenderTable addresses_{kMostKnown};
  bool told_ = false;  // that the catalog cannot be asked
};

}  // namespace koya::service
