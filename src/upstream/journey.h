// One exchange with upstreams, from the first request to the answer that counts: redirects, the one
// retry, tokens, times, the breaker. Used by the fetcher, which says what the answer means.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/client.h"
#include "http/url.h"
#include "upstream/breaker.h"
#include "upstream/client_pool.h"
#include "upstream/exchange_clock.h"
#include "upstream/patience.h"

namespace koya::upstream {

// What every journey of a fetcher shares.
struct JourneyTools {
  ClientPool& clients;
  Breaker& breaker;
  ExchangeClock& clock;
  bool allow_http = false;
};

struct JourneyPlan {
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
  // As in http::ClientRequest; what these fail with is what the journey fails with.
  std::function<Status(std::span<const std::byte>)> sink = {};
  std::function<Status(const http::ClientResponse&)> on_head = {};
};

struct JourneyEnd {
  http::Url url;  // of the answer
  http::ClientResponse response;
  bool token_sent = false;  // with the request that was answered
};

class Journey {
 public:
  // More than any client follows.
  static constexpr unsigned kMaxRedirects = 10;

  Journey(const JourneyTools& tools, JourneyPlan plan);

  // Any status but a redirect's is a success here. Fails: kBadUpstream (no connection, broken off,
  // a bad redirect, not https, an address that is refused), kUpstreamTimeout, kUnavailable (the
  // breaker is open, given up), kTooLarge, or as the callbacks do.
  Result<JourneyEnd> Run();

 private:
  std::string Subject() const;
  Status EnterHost();
  Result<http::ClientResponse> Send();
  bool SendsToken() const;
  std::optional<std::chrono::milliseconds> RetryWait(const Result<http::ClientResponse>& response);
  void TellBreaker(const Result<http::ClientResponse>& response);
  Status Follow(const http::ClientResponse& response);
  Error Described(Error error) const;

  const JourneyTools& tools_;
  JourneyPlan plan_;
  http::Url here_;
  std::optional<Breaker::Permit> permit_;
  unsigned redirects_ = 0;
  bool token_lost_ = false;
  bool retried_ = false;
  bool bytes_came_ = false;
  bool callback_failed_ = false;
};

// Fails: kBadUpstream when `url` is not https (http where that is allowed), holds a password or is
// longer than any that is of use.
Status CheckUpstreamUrl(const std::string& what, const http::Url& url, bool allow_http);

}  // namespace koya::upstream
