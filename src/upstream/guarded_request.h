// A request to upstreams under all the rules that apply to it, from the first attempt to the final
// response: https, redirects (redirect_trail.h), the one retry, tokens, timeouts, the circuit
// breaker. Used by the fetcher, which interprets the response.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/circuit_breaker.h"
#include "base/clock.h"
#include "base/result.h"
#include "http/client/client.h"
#include "http/url.h"
#include "upstream/deadline.h"
#include "upstream/redirect_trail.h"

namespace koya::upstream {

// State that all requests of a fetcher share.
struct RequestGuards {
  http::ClientPool& clients;
  CircuitBreaker& breaker;
  ExchangeClock& clock;
  bool allow_http = false;
};

struct RequestPlan {
  http::Url url;
  std::string what;  // for messages: "the list of versions"
  std::string token;
  bool is_login = false;  // `token` is a name and password for Basic, in base64
  std::vector<std::pair<std::string, std::string>> fields;
  std::uint64_t max_bytes = 0;
  LimitName max_bytes_name{};  // the name of that limit
  Deadline patience;
  LimitName time_name{};       // of the deadline
  SteadyTime retry_until;      // no retry begins after this
  std::uint64_t min_rate = 0;  // as in http::ClientRequest
  // Not empty: sent with POST, once, since the request may have had an effect without a response.
  std::string form = {};
  bool follows_redirects = true;  // false: a redirect is returned like any other response
  bool same_host = false;         // only on the host and port of the first URL
  // As in http::ClientRequest; their errors become the error of the request.
  std::function<Status(std::span<const std::byte>)> sink = {};
  std::function<Status(const http::ClientResponse&)> on_head = {};
};

struct GuardedAnswer {
  http::Url url;  // of the response
  http::ClientResponse response;
  bool token_sent = false;  // with the request that got the response
};

inline constexpr std::size_t kMaxUrlBytes = 8192;  // of path and query

class GuardedRequest {
 public:
  // `guards` must outlive this.
  GuardedRequest(const RequestGuards& guards, RequestPlan plan);

  // Every status except a redirect is a success here. Fails: kBadUpstream (no connection, cut off,
  // a bad redirect, not https, an address that is not allowed), kUpstreamTimeout, kUnavailable (the
  // circuit breaker is open, or cancelled), kTooLarge, or as the callbacks do.
  Result<GuardedAnswer> Run();

 private:
  std::string Subject() const;
  std::chrono::milliseconds TimeLeft() const;
  Status EnterHost();
  Result<http::ClientResponse> Send(std::chrono::milliseconds time);
  Result<http::ClientResponse> SendTraced(http::ClientRequest request);
  bool SendsToken() const;
  std::optional<std::chrono::milliseconds> RetryWait(const Result<http::ClientResponse>& response);
  void TellBreaker(const Result<http::ClientResponse>& response);
  Result<bool> StaysWhereItMay() const;
  // True if a redirect leads to another request.
  Result<bool> GoesOn(const http::ClientResponse& response);
  Error Described(Error error) const;

  const RequestGuards& guards_;
  RequestPlan plan_;
  RedirectTrail trail_;
  std::optional<CircuitBreaker::Permit> permit_;
  bool retried_ = false;
  bool bytes_came_ = false;
  bool callback_failed_ = false;
};

// Fails: kBadUpstream if `url` is not https (or http, where that is allowed), holds a password or
// is longer than any useful URL.
Status CheckUpstreamUrl(const std::string& what, const http::Url& url, bool allow_http);

}  // namespace koya::upstream
