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

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"

namespace koya {
class Clock;
class Logger;
class SentBytesCatalog;
}  // namespace koya

namespace koya::auth {
struct Principal;
}  // namespace koya::auth

namespace koya::service {

// Token bucket that holds a second's worth of requests and fills evenly. One thread at a time.
class TokenBucket {
 public:
  using Time = std::chrono::nanoseconds;

  // Takes one request at `now`; the rate is `per_second` (> 0). Returns 0, or the time until a
  // request is available, in which case nothing was taken. A clock that goes back does no harm.
  Time TakeRequest(Time now, std::uint64_t per_second);

 private:
  Time full_at_{};  // when the bucket will be full
};

// Bytes of one day, as far as this server knows. One thread at a time, except for the meter.
class DailyQuota {
 public:
  // Counts bytes as they are sent, on any thread.
  std::atomic<std::uint64_t> meter = 0;

  // Resets the count unless it is for `day`.
  void Roll(std::int64_t day);
  // Known bytes of the day, of all servers.
  std::uint64_t Sum() const { return told_ + meter.load(std::memory_order_relaxed); }
  // Takes the bytes to report to the catalog, if there are at least `least`; else returns 0.
  std::uint64_t Drain(std::uint64_t least);
  // Undoes Drain() after a failed report.
  void PutBack(std::uint64_t taken);
  // Sets the sum of all servers for `day`, as reported by the catalog.
  void Merge(std::int64_t day, std::uint64_t sum);

 private:
  std::int64_t day_ = 0;
  std::uint64_t told_ = 0;  // of all servers, including the bytes taken here
};

struct RateLimitState {
  std::string name;
  TokenBucket requests;
  DailyQuota bytes;
  bool listed = false;      // queued for a report to the catalog
  std::uint64_t round = 0;  // the last report round that took it
};

// Table of rate limit states by name: the most recently used ones, up to a maximum. Sharded, so
// that event loops rarely wait for each other.
//
// A state whose response is still being sent is not evicted, unless there is no other candidate.
// Threads: any.
class RateLimiterTable {
 public:
  // REQUIRES: most >= kShards.
  explicit RateLimiterTable(std::size_t most) : shard_most_(most / kShards) {}

  // Runs use(state) under the lock of the name's shard, and returns its result. Creates a missing
  // state, with no usage.
  template <class Use>
  auto With(std::string_view name, Use use) {
    Shard& shard = ShardOf(name);
    std::lock_guard lock(shard.mutex);
    return use(FindState(shard, name));
  }

  // A state whose sum for the day to query from the catalog, and the bytes to add to it.
  struct Share {
    std::shared_ptr<RateLimitState> state;
    std::uint64_t bytes = 0;
  };
  // Queues the state for a report. REQUIRES: within With().
  void List(const std::shared_ptr<RateLimitState>& state);
  // Takes at most `most` states from the queue, first those with at least `least` bytes to report;
  // the other states are taken without their bytes. A state whose response is still being sent
  // stays queued. One call at a time.
  std::vector<Share> TakeShares(std::size_t most, std::int64_t day, std::uint64_t least);
  // Sets the reported sum of all servers.
  void Learn(const Share& share, std::int64_t day, std::uint64_t sum);
  // Undoes a share after a failed report.
  void PutBack(const Share& share);

  std::size_t size() const;

 private:
  static constexpr std::size_t kShards = 16;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Recency = std::list<std::shared_ptr<RateLimitState>>;
  struct Shard {
    mutable std::mutex mutex;
    Recency recency;  // most recently used first; owns the names that the map views
    std::unordered_map<std::string_view, Recency::iterator, TextHash, std::equal_to<>> states;
    std::vector<std::shared_ptr<RateLimitState>> listed;
  };

  Shard& ShardOf(std::string_view name) { return shards_[(TextHash{}(name) >> 7) % kShards]; }
  // REQUIRES, both: the shard's lock is held.
  const std::shared_ptr<RateLimitState>& FindState(Shard& shard, std::string_view name);
  void MakeRoom(Shard& shard);
  struct Wanted {
    std::size_t most = 0;
    std::int64_t day = 0;
    std::uint64_t least = 0;
    std::uint64_t round = 0;
    bool with_bytes = false;
  };
  void TakeFrom(Shard& shard, std::vector<Share>& shares, const Wanted& wanted);

  const std::size_t shard_most_;
  std::array<Shard, kShards> shards_;
  std::uint64_t round_ = 0;  // number of calls of TakeShares
};

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
