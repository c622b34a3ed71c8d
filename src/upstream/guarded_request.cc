#include "upstream/guarded_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/trace.h"
#include "http/client/retry_after.h"

namespace koya::upstream {

bool IsRedirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

RedirectStep RedirectTrail::FollowRedirect(const http::ClientResponse& response) {
  if (!IsRedirect(response.status)) return RedirectStep::kAnswer;
  auto location = response.Get("Location");
  if (!location) return RedirectStep::kNowhere;
  if (redirects_.size() >= kMaxRedirects) return RedirectStep::kTooMany;
  Result<http::Url> next = http::ResolveUrl(here(), *location);
  if (!next) return RedirectStep::kNoUrl;
  keeps_token_ &= next->scheme == first_.scheme && next->Authority() == first_.Authority();
  redirects_.push_back(*std::move(next));
  return RedirectStep::kOnward;
}

namespace {

using std::chrono::milliseconds;

// The wait before a retry, drawn from here so that servers do not come back all at once.
constexpr milliseconds kLeastWait{100};
constexpr milliseconds kMostWait{300};
// A retry that has less time than this left is not begun.
constexpr milliseconds kLeastAttempt{50};
constexpr LimitName kStallLimit = "upstream.timeout";

// 501 says that it will never work.
bool IsPassing(unsigned status) { return status == 429 || (status >= 500 && status != 501); }

}  // namespace

Status CheckUpstreamUrl(const std::string& what, const http::Url& url, bool allow_http) {
  bool fetchable = url.scheme == "https" || (allow_http && url.scheme == "http");
  if (!fetchable) {
    return FailBadUpstream(
        "{} is said to be at {}, which is not https: Koya fetches nothing from there", what,
        Printable(PlaceOf(url)));
  }
  // Messages and caches contain the URL, so its length is limited.
  if (url.path.size() + url.query.size() > kMaxUrlBytes) {
    return FailBadUpstream("{} is said to be at a URL on {} of more than {} bytes", what,
                           url.Authority(), kMaxUrlBytes);
  }
  // Its text is not repeated: it holds a password.
  if (url.has_user_info) {
    return FailBadUpstream(
        "{} is said to be at a URL on {} with a user name or password inside: "
        "clients reject those",
        what, url.Authority());
  }
  return {};
}

GuardedRequest::GuardedRequest(const RequestGuards& guards, RequestPlan plan)
    : guards_(guards), plan_(std::move(plan)), trail_(plan_.url) {}

Result<GuardedAnswer> GuardedRequest::Run() {
  while (true) {
    RETURN_IF_ERROR(CheckUpstreamUrl(Subject(), trail_.here(), guards_.allow_http));
    const milliseconds left = TimeLeft();
    // Before the host is entered: one that is not even asked has not failed.
    if (left.count() <= 0) {
      return Failure(Described(
          {ErrorKind::kTimeout, "there was no time left for the request", {}, 0, plan_.time_name}));
    }
    RETURN_IF_ERROR(EnterHost());
    Result<http::ClientResponse> response = Send(left);
    // That says nothing about the host: the permit goes unsaid.
    if (plan_.patience.stop.stop_requested()) return GivenUp();
    if (auto wait = RetryWait(response)) {
      retried_ = true;
      guards_.clock.Wait(*wait, plan_.patience.stop);
      continue;
    }
    TellBreaker(response);
    if (!response) return Failure(Described(std::move(response).error()));
    bool token_sent = SendsToken();
    ASSIGN_OR_RETURN(bool goes_on, GoesOn(*response));
    if (!goes_on) return GuardedAnswer{trail_.here(), *std::move(response), token_sent};
  }
}

// Names the place that was asked first when a redirect led to another.
std::string GuardedRequest::Subject() const {
  return trail_.redirects().empty() ? plan_.what
                                    : fmt::format("{} of {}", plan_.what, PlaceOf(plan_.url));
}

milliseconds GuardedRequest::TimeLeft() const {
  return std::chrono::duration_cast<milliseconds>(plan_.patience.deadline - guards_.clock.Now());
}

// A retry is a part of the same visit: only its outcome counts.
Status GuardedRequest::EnterHost() {
  if (permit_ && permit_->host() == trail_.here().Authority()) return {};
  ASSIGN_OR_RETURN(CircuitBreaker::Permit permit,
                   guards_.breaker.Enter(trail_.here().Authority(), guards_.clock.Now()));
  permit_.emplace(std::move(permit));
  return {};
}

bool GuardedRequest::SendsToken() const { return !plan_.token.empty() && trail_.keeps_token(); }

Result<http::ClientResponse> GuardedRequest::Send(milliseconds time) {
  http::ClientRequest request{
      .url = trail_.here().ToString(), .fields = plan_.fields, .max_body = plan_.max_bytes};
  if (!plan_.form.empty()) request.method = "POST";
  request.body = plan_.form;
  request.min_rate = plan_.min_rate;
  request.min_rate_name = "upstream.min_rate";
  request.stop = plan_.patience.stop;
  if (SendsToken()) {
    request.fields.emplace_back("Authorization",
                                (plan_.is_login ? "Basic " : "Bearer ") + plan_.token);
  }
  request.total_timeout = time;
  auto noted = [this](Status status) {
    if (!status) callback_failed_ = true;
    return status;
  };
  if (plan_.sink) {
    request.sink = [this, noted](std::span<const std::byte> bytes) {
      bytes_came_ = true;
      return noted(plan_.sink(bytes));
    };
  }
  if (plan_.on_head) {
    request.on_head = [this, noted](const http::ClientResponse& head) {
      bytes_came_ = true;
      return noted(plan_.on_head(head));
    };
  }
  return SendTraced(std::move(request));
}

Result<http::ClientResponse> GuardedRequest::SendTraced(http::ClientRequest request) {
  SpanScope span(CurrentTrace(), fmt::format("upstream {}", request.method));
  if (std::string field = span.traceparent(); !field.empty()) {
    request.fields.emplace_back("traceparent", std::move(field));
  }
  span.Describe("http.request.method", request.method);
  span.Describe("server.address", trail_.here().Authority());
  Result<http::ClientResponse> response = guards_.clients.Take()->Send(request);
  if (response) {
    span.Describe("http.response.status_code", std::int64_t{response->status});
  } else {
    span.SetFailed();
  }
  return response;
}

std::optional<milliseconds> GuardedRequest::RetryWait(
    const Result<http::ClientResponse>& response) {
  const bool once = !plan_.form.empty();
  if (once || retried_ || bytes_came_ || callback_failed_) return std::nullopt;
  auto wait = kLeastWait + std::chrono::duration_cast<milliseconds>((kMostWait - kLeastWait) *
                                                                    guards_.clock.Random());
  if (!response) {
    bool dropped = response.error().kind == ErrorKind::kUnavailable;
    if (!dropped || http::IsTlsError(response.error())) return std::nullopt;
  } else {
    if (!IsPassing(response->status)) return std::nullopt;
    bool says_when = response->status == 429 || response->status == 503;
    auto said = says_when ? response->Get("Retry-After") : std::nullopt;
    auto told = said ? http::ParseRetryAfter(*said, guards_.clock.WallNow()) : std::nullopt;
    if (told) wait = std::max(wait, milliseconds(*told));
  }
  bool fits = guards_.clock.Now() + wait + kLeastAttempt <= plan_.retry_until;
  return fits ? std::optional(wait) : std::nullopt;
}

void GuardedRequest::TellBreaker(const Result<http::ClientResponse>& response) {
  if (callback_failed_) return;  // not the host's doing
  bool failed = false;
  if (response) {
    failed = response->status >= 500;
  } else {
    ErrorKind kind = response.error().kind;
    failed = kind == ErrorKind::kUnavailable || kind == ErrorKind::kTimeout;
    // Refused by rules of ours: that says nothing about the host.
    if (!failed) return permit_.reset();
  }
  failed ? permit_->Failed(guards_.clock.Now()) : permit_->Succeeded();
  permit_.reset();
}

// A redirect that was taken leads to a host that may be asked.
Result<bool> GuardedRequest::StaysWhereItMay() const {
  if (!plan_.same_host || trail_.here().Authority() == plan_.url.Authority()) return true;
  return FailBadUpstream("{} leads to {}, and no other host is used for it", Subject(),
                         PlaceOf(trail_.here()));
}

Result<bool> GuardedRequest::GoesOn(const http::ClientResponse& response) {
  if (!plan_.follows_redirects) return false;
  auto fail = [&](std::string_view words) {
    return FailBadUpstream("{}: {} {}", Subject(), PlaceOf(trail_.here()), words);
  };
  switch (trail_.FollowRedirect(response)) {
    case RedirectStep::kAnswer:
      return false;
    case RedirectStep::kOnward:
      return StaysWhereItMay();
    case RedirectStep::kNowhere:
      return fail("redirects without a target");
    case RedirectStep::kTooMany:
      return fail(fmt::format("is behind more than {} redirects", RedirectTrail::kMaxRedirects));
    case RedirectStep::kNoUrl:
      break;
  }
  std::string_view location = response.Get("Location").value_or("");
  std::string_view place = location.substr(0, location.find_first_of("?@"));
  return fail(fmt::format("redirects to \"{}\", which is not a URL to fetch", Printable(place)));
}

// Translates the client's failures for callers that requested a document of upstream.
Error GuardedRequest::Described(Error error) const {
  if (callback_failed_) return error;
  bool too_large = error.kind == ErrorKind::kTooLarge;
  if (too_large && error.limit.empty()) error.limit = plan_.max_bytes_name;
  if (error.kind == ErrorKind::kTimeout) {
    error.kind = ErrorKind::kUpstreamTimeout;
    bool over = guards_.clock.Now() >= plan_.patience.deadline;
    if (error.limit.empty()) error.limit = over ? plan_.time_name : kStallLimit;
  }
  if (error.kind != ErrorKind::kUpstreamTimeout && !too_large) {
    error.kind = ErrorKind::kBadUpstream;
  }
  error.message = fmt::format("{} at {} could not be fetched: {}", Subject(),
                              PlaceOf(trail_.here()), error.message);
  return error;
}

}  // namespace koya::upstream
