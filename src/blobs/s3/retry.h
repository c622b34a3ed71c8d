// Sends requests to the store and retries them: signs each attempt separately, classifies its
// outcome, counts it, refreshes credentials, and decides whether and when to try again.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/circuit_breaker.h"
#include "base/clock.h"
#include "base/result.h"
#include "blobs/s3/credentials.h"
#include "blobs/s3/response.h"
#include "http/client/client.h"

namespace koya::s3 {

// Counters of the store client, for metrics: koya_store_… with the labels operation and class.
// Updated while the client runs. Thread-safe.
struct StoreMetrics {
  // Attempts, by how each ended.
  std::array<std::array<std::atomic<std::uint64_t>, kFailureClasses>, kOperations> attempts{};
  std::atomic<std::uint64_t> retries = 0;
  std::atomic<std::uint64_t> bytes_sent = 0;      // of parts and objects that arrived
  std::atomic<std::uint64_t> bytes_received = 0;  // given to sinks
  std::atomic<bool> circuit_open = false;         // the circuit breaker is open
  std::atomic<std::int64_t> clock_offset = 0;     // seconds that the store's clock is ahead

  std::atomic<std::uint64_t>& Of(Operation operation, FailureClass trouble) {
    return attempts.at(static_cast<std::size_t>(operation)).at(static_cast<std::size_t>(trouble));
  }
  std::uint64_t Count(Operation operation, FailureClass trouble) const {
    return attempts.at(static_cast<std::size_t>(operation)).at(static_cast<std::size_t>(trouble));
  }
};

// Prevents retry storms: each retry costs one, and each success gives a tenth back, so that a store
// that fails all requests does not get five times as many. Thread-safe.
class RetryBudget {
 public:
  static constexpr double kMost = 50;
  static constexpr double kGivenBack = 0.1;

  bool TakeRetry();
  void Succeeded();
  double left() const;

 private:
  mutable std::mutex mutex_;
  double left_ = kMost;
};

// Retries of one operation. Belongs to one thread.
class Retries {
 public:
  static constexpr unsigned kMostTries = 5;

  // `patience` counts from now. With `from_failure`, for operations that are slow even without a
  // fault, it counts from the first failure.
  Retries(RetryBudget& budget, ExchangeClock& clock, std::chrono::milliseconds patience,
          bool from_failure);

  // Call after an attempt that ended in `trouble`. Returns the wait before the next attempt;
  // nullopt: there is none. `asked`: the store's Retry-After.
  std::optional<std::chrono::milliseconds> Next(FailureClass trouble,
                                                std::optional<std::chrono::seconds> asked);
  // Call after progress: resets all counts and limits, and the next retry costs nothing, because it
  // does not repeat earlier work.
  void Progressed();
  // Remaining part of the patience, at least a second.
  std::chrono::milliseconds Left() const;
  unsigned tries() const { return tries_; }

 private:
  std::optional<std::chrono::milliseconds> Later(std::optional<std::chrono::seconds> asked);

  RetryBudget& budget_;
  ExchangeClock& clock_;
  const std::chrono::milliseconds patience_;
  const bool from_failure_;
  std::optional<SteadyTime> began_;
  unsigned tries_ = 0;  // failed ones
  bool is_free_ = false;
  bool started_slowly_ = false;
  bool set_the_clock_ = false;
  bool renewed_ = false;
};

// A cache of credentials that may expire. Thread-safe. One thread fetches at a time. New
// credentials are fetched kEarly before the expiry, while other threads continue with the old ones;
// when the fetch fails, the old ones are used until they expire.
class CredentialKeeper {
 public:
  static constexpr UnixSeconds kEarly = 300;

  // The clock outlives this.
  CredentialKeeper(std::unique_ptr<CredentialSource> source, const ExchangeClock& clock)
      : source_(std::move(source)), clock_(clock) {}

  // Blocks while credentials are fetched. Fails: as the source.
  Result<Credentials> Get(std::stop_token stop);
  // Call when the store reports `refused` as expired, regardless of our clock: the next Get
  // fetches, unless newer credentials are here by then.
  void Expire(const Credentials& refused);
  std::string source_name() const { return source_->name(); }

 private:
  std::optional<Credentials> Usable() const;
  bool IsDue() const;
  Result<Credentials> Fetch(std::stop_token stop);

  static constexpr UnixSeconds kPause = 10;  // after an early fetch that failed

  const std::unique_ptr<CredentialSource> source_;
  const ExchangeClock& clock_;
  std::mutex fetching_;       // held by the thread that fetches
  mutable std::mutex mutex_;  // guards the members below
  std::optional<Credentials> current_;
  UnixSeconds not_before_ = 0;
};

// How an attempt ended.
struct Outcome {
  FailureClass trouble = FailureClass::kNone;
  http::ClientResponse answer = {};  // when a response arrived
  StoreError said = {};
  Error error = {};  // unless kNone
  std::optional<std::chrono::seconds> retry_after = {};
};

// Owns what all attempts share: connections, credentials, the clock offset, the circuit breaker and
// the retry budget. Thread-safe; blocks the calling thread.
class RequestSender {
 public:
  // The clock and the observations outlive this.
  RequestSender(Address address, http::ClientOptions client,
                std::unique_ptr<CredentialSource> source, ExchangeClock& clock, StoreMetrics& seen);

  // Makes one attempt. Corrects the clock offset or expires the credentials when they are the
  // cause; the caller retries.
  Outcome Attempt(const StoreRequest& ask);
  // Attempts until one succeeds or `retries` gives up. `retries` may be shared by several requests.
  Outcome Send(StoreRequest ask, Retries& retries);
  // Waits after `outcome` as long as `retries` demands. Returns false when there is no further
  // attempt.
  bool WaitFor(const Outcome& outcome, Retries& retries, const std::stop_token& stop);
  // Fails: kUnavailable while the circuit breaker is open. Does not block.
  Status MayEnter();

  // Time by the store's clock.
  UnixSeconds Now() const;
  Result<SigningKey> Key(std::stop_token stop);

  const Address& address() const { return address_; }
  ExchangeClock& clock() { return clock_; }
  RetryBudget& budget() { return budget_; }
  StoreMetrics& seen() { return seen_; }

 private:
  Outcome Classify(const StoreRequest& ask, http::ClientResponse answer) const;
  void Recover(const Outcome& outcome, const Credentials& used);
  Outcome SendOnce(const StoreRequest& ask);

  const Address address_;
  ExchangeClock& clock_;
  StoreMetrics& seen_;
  CredentialKeeper credentials_;
  http::ClientPool clients_;
  CircuitBreaker breaker_;
  RetryBudget budget_;
};

}  // namespace koya::s3
