// Sends one request to the store, signed anew for each attempt, and tells what its end means. Also
// what all attempts share: connections, credentials, the clock, the breaker and the budget.
//
// Thread-safe; blocks the calling thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "base/breaker.h"
#include "base/exchange_clock.h"
#include "base/result.h"
#include "blobs/s3/address.h"
#include "blobs/s3/answers.h"
#include "blobs/s3/credentials.h"
#include "blobs/s3/observations.h"
#include "blobs/s3/operation.h"
#include "blobs/s3/retries.h"
#include "blobs/s3/signer.h"
#include "http/client/client.h"
#include "http/client/client_pool.h"

namespace koya::s3 {

// What is asked.
struct Ask {
  Operation operation = Operation::kHead;
  std::string method;
  std::string path;  // of Address
  Pairs query = {};
  Pairs signed_fields = {};  // x-amz-* only
  Pairs other_fields = {};   // Range
  std::string body = {};
  std::optional<http::FileUpload> upload = {};
  std::string payload_hash = std::string(kEmptyPayload);
  // Of a 2xx answer; what they fail with ends the operation.
  std::function<Status(const http::ClientResponse& head)> on_head = {};
  std::function<Status(std::span<const std::byte>)> sink = {};
  std::chrono::milliseconds first_byte_timeout{0};  // 0: the stall timeout
  std::chrono::milliseconds stall_timeout{0};       // 0: the client's
  std::chrono::milliseconds total_timeout{0};       // 0: none
  bool within_patience = false;  // the total timeout is what is left of the patience
  bool new_connection = false;
  std::stop_token stop = {};
};

// How an attempt ended.
struct Outcome {
  Trouble trouble = Trouble::kNone;
  http::ClientResponse answer = {};  // when there was one
  StoreError said = {};
  Error error = {};  // unless kNone
  std::optional<std::chrono::seconds> retry_after = {};
};

class Exchanger {
 public:
  // The clock and the observations outlive this.
  Exchanger(Address address, http::ClientOptions client, std::unique_ptr<CredentialSource> source,
            ExchangeClock& clock, Observations& seen);

  // One attempt. Mends the clock and the credentials where they are at fault; the caller sends once
  // more.
  Outcome Attempt(const Ask& ask);
  // Attempts until one succeeds or Retries ends it. `retries` may be used for several.
  Outcome Send(Ask ask, Retries& retries);
  // Waits as `retries` says after `outcome`. False: no further attempt.
  bool WaitFor(const Outcome& outcome, Retries& retries, const std::stop_token& stop);
  // Fails: kUnavailable while the store is left alone. Does not block.
  Status MayEnter();

  // By the store's clock.
  UnixSeconds Now() const;
  Result<SigningKey> Key(std::stop_token stop);

  const Address& address() const { return address_; }
  ExchangeClock& clock() { return clock_; }
  RetryBudget& budget() { return budget_; }
  Observations& seen() { return seen_; }

 private:
  http::ClientRequest RequestOf(const Ask& ask, const SigningKey& key) const;
  Outcome Judged(const Ask& ask, http::ClientResponse answer) const;
  void Mend(const Outcome& outcome, const Credentials& used);
  Outcome SendOnce(const Ask& ask);

  const Address address_;
  ExchangeClock& clock_;
  Observations& seen_;
  CredentialKeeper credentials_;
  http::ClientPool clients_;
  Breaker breaker_;
  RetryBudget budget_;
};

}  // namespace koya::s3
