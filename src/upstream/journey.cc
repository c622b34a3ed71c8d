#include "upstream/journey.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "upstream/fetcher.h"
#include "upstream/retry_after.h"

namespace koya::upstream {
namespace {

using std::chrono::milliseconds;

// The wait before a retry, drawn from here so that servers do not come back all at once.
constexpr milliseconds kLeastWait{100};
constexpr milliseconds kMostWait{300};
// A retry that has less time than this left is not begun.
constexpr milliseconds kLeastAttempt{50};
constexpr LimitName kStallLimit = "upstream.timeout";

bool IsRedirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// 501 says that it will never work.
bool IsPassing(unsigned status) { return status == 429 || (status >= 500 && status != 501); }

}  // namespace

Status CheckUpstreamUrl(const std::string& what, const http::Url& url, bool allow_http) {
  bool fetchable = url.scheme == "https" || (allow_http && url.scheme == "http");
  if (!fetchable) {
    return Fail(ErrorKind::kBadUpstream,
                fmt::format("{} is said to be at {}, which is not https: nothing is fetched from "
                            "there",
                            what, Printable(PlaceOf(url))));
  }
  // Text of a URL stays in messages and in what is remembered.
  if (url.path.size() + url.query.size() > kMaxUrlBytes) {
    return Fail(ErrorKind::kBadUpstream,
                fmt::format("{} is said to be at a URL on {} of more than {} bytes", what,
                            url.Authority(), kMaxUrlBytes));
  }
  // Its text is not repeated: it holds a password.
  if (url.has_user_info) {
    return Fail(ErrorKind::kBadUpstream,
                fmt::format("{} is said to be at a URL on {} with a user name or password inside: "
                            "clients refuse those",
                            what, url.Authority()));
  }
  return {};
}

Journey::Journey(const JourneyTools& tools, JourneyPlan plan)
    : tools_(tools), plan_(std::move(plan)), here_(plan_.url) {}

Result<JourneyEnd> Journey::Run() {
  while (true) {
    RETURN_IF_ERROR(CheckUpstreamUrl(Subject(), here_, tools_.allow_http));
    RETURN_IF_ERROR(EnterHost());
    Result<http::ClientResponse> response = Send();
    // That says nothing about the host: the permit goes unsaid.
    if (plan_.patience.stop.stop_requested()) return GivenUp();
    if (auto wait = RetryWait(response)) {
      retried_ = true;
      tools_.clock.Wait(*wait, plan_.patience.stop);
      continue;
    }
    TellBreaker(response);
    if (!response) return Failure(Described(std::move(response).error()));
    if (!IsRedirect(response->status)) return JourneyEnd{here_, *std::move(response), SendsToken()};
    RETURN_IF_ERROR(Follow(*response));
  }
}

// Names the place that was asked first when a redirect led to another.
std::string Journey::Subject() const {
  return redirects_ == 0 ? plan_.what : fmt::format("{} of {}", plan_.what, PlaceOf(plan_.url));
}

// A retry is a part of the same visit: only its outcome counts.
Status Journey::EnterHost() {
  if (permit_ && permit_->host() == here_.Authority()) return {};
  ASSIGN_OR_RETURN(Breaker::Permit permit,
                   tools_.breaker.Enter(here_.Authority(), tools_.clock.Now()));
  permit_.emplace(std::move(permit));
  return {};
}

bool Journey::SendsToken() const { return !plan_.token.empty() && !token_lost_; }

Result<http::ClientResponse> Journey::Send() {
  http::ClientRequest request{
      .url = here_.ToString(), .fields = plan_.fields, .max_body = plan_.max_bytes};
  request.min_rate = plan_.min_rate;
  request.min_rate_name = "upstream.min_rate";
  request.stop = plan_.patience.stop;
  if (SendsToken()) request.fields.emplace_back("Authorization", "Bearer " + plan_.token);
  request.total_timeout =
      std::chrono::duration_cast<milliseconds>(plan_.patience.deadline - tools_.clock.Now());
  if (request.total_timeout.count() <= 0) {
    return FailLimit(ErrorKind::kTimeout, plan_.time_name, "there was no time left to ask");
  }
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
  return tools_.clients.Take()->Send(request);
}

std::optional<milliseconds> Journey::RetryWait(const Result<http::ClientResponse>& response) {
  if (retried_ || bytes_came_ || callback_failed_) return std::nullopt;
  auto wait = kLeastWait + std::chrono::duration_cast<milliseconds>((kMostWait - kLeastWait) *
                                                                    tools_.clock.Random());
  if (!response) {
    bool dropped = response.error().kind == ErrorKind::kUnavailable;
    if (!dropped || http::IsTlsError(response.error())) return std::nullopt;
  } else {
    if (!IsPassing(response->status)) return std::nullopt;
    bool says_when = response->status == 429 || response->status == 503;
    auto said = says_when ? response->Get("Retry-After") : std::nullopt;
    auto told = said ? ParseRetryAfter(*said, tools_.clock.WallNow()) : std::nullopt;
    if (told) wait = std::max(wait, milliseconds(*told));
  }
  bool fits = tools_.clock.Now() + wait + kLeastAttempt <= plan_.retry_until;
  return fits ? std::optional(wait) : std::nullopt;
}

void Journey::TellBreaker(const Result<http::ClientResponse>& response) {
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
  failed ? permit_->Failed(tools_.clock.Now()) : permit_->Succeeded();
  permit_.reset();
}

Status Journey::Follow(const http::ClientResponse& response) {
  auto location = response.Get("Location");
  auto fail = [&](std::string_view words) {
    return Fail(ErrorKind::kBadUpstream,
                fmt::format("{}: {} {}", Subject(), PlaceOf(here_), words));
  };
  if (!location) return fail("redirects without saying where to");
  if (++redirects_ > kMaxRedirects) {
    return fail(fmt::format("is behind more than {} redirects", kMaxRedirects));
  }
  Result<http::Url> next = http::ResolveUrl(here_, *location);
  if (!next) {
    std::string_view place = location->substr(0, location->find_first_of("?@"));
    return fail(fmt::format("redirects to \"{}\", which is no URL to fetch", Printable(place)));
  }
  if (next->scheme != here_.scheme || next->Authority() != here_.Authority()) token_lost_ = true;
  here_ = *std::move(next);
  return {};
}

// What the client's failures are to those who asked for somebody else's document.
Error Journey::Described(Error error) const {
  if (callback_failed_) return error;
  bool too_large = error.kind == ErrorKind::kTooLarge;
  if (too_large && error.limit.empty()) error.limit = plan_.max_bytes_name;
  if (error.kind == ErrorKind::kTimeout) {
    error.kind = ErrorKind::kUpstreamTimeout;
    bool over = tools_.clock.Now() >= plan_.patience.deadline;
    if (error.limit.empty()) error.limit = over ? plan_.time_name : kStallLimit;
  }
  if (error.kind != ErrorKind::kUpstreamTimeout && !too_large) {
    error.kind = ErrorKind::kBadUpstream;
  }
  error.message =
      fmt::format("{} at {} could not be fetched: {}", Subject(), PlaceOf(here_), error.message);
  return error;
}

}  // namespace koya::upstream
