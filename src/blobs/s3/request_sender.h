// Sends requests to the store, signs each attempt separately, and classifies its outcome. Owns what
// all attempts share: connections, credentials, the clock offset, the circuit breaker and the retry
// budget.
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

#include "base/circuit_breaker.h"
#include "base/clock.h"
#include "base/result.h"
#include "blobs/s3/address.h"
#include "blobs/s3/credentials.h"
#include "blobs/s3/operation.h"
#include "blobs/s3/responses.h"
#include "blobs/s3/retries.h"
#include "blobs/s3/signer.h"
#include "http/client/client.h"

namespace koya::s3 {

// A request to the store.
struct StoreRequest {
  Operation operation = Operation::kHead;
  std::string method;
  std::string path;  // of Address
  Pairs query = {};
  Pairs signed_fields = {};  // x-amz-* only
  Pairs other_fields = {};   // Range
  std::string body = {};
  std::optional<http::FileUpload> upload = {};
  std::string payload_hash = std::string(kEmptyPayload);
  // For a 2xx response; a failure of these ends the operation.
  std::function<Status(const http::ClientResponse& head)> on_head = {};
  std::function<Status(std::span<const std::byte>)> sink = {};
  std::chrono::milliseconds first_byte_timeout{0};  // 0: the stall timeout
  std::chrono::milliseconds stall_timeout{0};       // 0: the client's
  std::chrono::milliseconds total_timeout{0};       // 0: none
  bool within_deadline = false;                     // the total timeout is Retries::Left()
  bool new_connection = false;
  std::stop_token stop = {};
};

// How an attempt ended.
struct Outcome {
  FailureClass trouble = FailureClass::kNone;
  http::ClientResponse answer = {};  // when a response arrived
  StoreError said = {};
  Error error = {};  // unless kNone
  std::optional<std::chrono::seconds> retry_after = {};
};

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
  http::ClientRequest RequestOf(const StoreRequest& ask, const SigningKey& key) const;
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
