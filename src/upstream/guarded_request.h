// A request to upstreams under all the rules that hold for it, from the first attempt to the answer
// that counts: https, redirects (redirect_trail.h), the one retry, tokens, times, the breaker. Used
// by the fetcher, which says what the answer means.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/breaker.h"
#include "base/exchange_clock.h"
#include "base/result.h"
#include "http/client/client.h"
#include "http/client/client_pool.h"
#include "http/url.h"
#include "upstream/patience.h"
#include "upstream/redirect_trail.h"

namespace koya::upstream {

// What every request of a fetcher shares.
struct RequestGuards {
  http::ClientPool& clients;
  Breaker& breaker;
  ExchangeClock& clock;
  bool allow_http = false;
};

struct RequestPlan {
  http::Url url;
  std::string what;  // for messages: "the list of versions"
  std::string token;
  std::vector<std::pair<std::string, std::string>> fields;
  std::uint64_t max_bytes = 0;
  LimitName max_bytes_name{};  // what that bound is called when it is reached
  Patience patience;
  LimitName time_name{};       // of the deadline
  SteadyTime retry_until;      // no retry is begun later
  std::uint64_t min_rate = 0;  // as in http::ClientRequest
  // Not empty: it is sent with POST, once, since it may have counted although no answer came.
  std::string form = {};
  bool follows_redirects = true;  // false: a redirect is an answer as any other
  bool same_host = false;         // only on the host and port that was asked first
  // As in http::ClientRequest; what these fail with is what the request fails with.
  std::function<Status(std::span<const std::byte>)> sink = {};
  std::function<Status(const http::ClientResponse&)> on_head = {};
};

struct GuardedAnswer {
  http::Url url;  // of the answer
  http::ClientResponse response;
  bool token_sent = false;  // with the request that was answered
};

inline constexpr std::size_t kMaxUrlBytes = 8192;  // of path and query

class GuardedRequest {
 public:
  // `guards` must outlive this.
  GuardedRequest(const RequestGuards& guards, RequestPlan plan);

  // Any status but a redirect's is a success here. Fails: kBadUpstream (no connection, broken off,
  // a bad redirect, not https, an address that is refused), kUpstreamTimeout, kUnavailable (the
  // breaker is open, given up), kTooLarge, or as the callbacks do.
  Result<GuardedAnswer> Run();

 private:
  std::string Subject() const;
  std::chrono::milliseconds TimeLeft() const;
  Status EnterHost();
  Result<http::ClientResponse> Send(std::chrono::milliseconds time);
  bool SendsToken() const;
  std::optional<std::chrono::milliseconds> RetryWait(const Result<http::ClientResponse>& response);
  void TellBreaker(const Result<http::ClientResponse>& response);
  Result<bool> StaysWhereItMay() const;
  // Whether a redirect leads to another request.
  Result<bool> GoesOn(const http::ClientResponse& response);
  Error Described(Error error) const;

  const RequestGuards& guards_;
  RequestPlan plan_;
  RedirectTrail trail_;
  std::optional<Breaker::Permit> permit_;
  bool retried_ = false;
  bool bytes_came_ = false;
  bool callback_failed_ = false;
};

// Fails: kBadUpstream when `url` is not https (http where that is allowed), holds a password or is
// longer than any that is of use.
Status CheckUpstreamUrl(const std::string& what, const http::Url& url, bool allow_http);

}  // namespace koya::upstream
