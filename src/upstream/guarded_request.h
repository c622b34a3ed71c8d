// A request to upstreams under all the rules that apply to it, from the first attempt to the final
// response: https, redirects, the one retry, tokens, timeouts, the circuit
// breaker. Used by the fetcher, which interprets the response.
#pragma once

#include <chrono>
#include <cstddef>
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

namespace koya::upstream {

// ---- redirects. Only RedirectTrail follows them, one by one, and tracks whether the token of the
// first request may still be sent. The caller checks each URL on the way.

enum class RedirectStep {
  kAnswer,   // no redirect: the final response
  kOnward,   // here() is to be requested next
  kNowhere,  // a redirect without a target
  kNoUrl,    // a redirect to something that is not a fetchable URL
  kTooMany,  // more redirects than kMaxRedirects
};

class RedirectTrail {
 public:
  // More than any client follows: a longer trail is most likely a loop.
  static constexpr std::size_t kMaxRedirects = 10;

  explicit RedirectTrail(http::Url first) : first_(std::move(first)) {}

  const http::Url& first() const { return first_; }
  const http::Url& here() const { return redirects_.empty() ? first_ : redirects_.back(); }
  // The target of each redirect.
  const std::vector<http::Url>& redirects() const { return redirects_; }
  // False for good after a redirect to another scheme, host or port: a host in between may have
  // written the way back.
  bool keeps_token() const { return keeps_token_; }

  // Takes the response of here(); continues only for kOnward.
  RedirectStep FollowRedirect(const http::ClientResponse& response);

 private:
  http::Url first_;
  std::vector<http::Url> redirects_;
  bool keeps_token_ = true;
};

bool IsRedirect(unsigned status);

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
