#include "blobs/s3/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/trace.h"
#include "http/client/retry_after.h"

namespace koya::s3 {
namespace {

constexpr std::chrono::milliseconds kFirstWait{100};
constexpr std::chrono::milliseconds kLongestWait{5'000};
constexpr std::chrono::milliseconds kLeastTime{1'000};

constexpr BreakerOptions kStoreBreaker{.failures = 5, .open = std::chrono::seconds(1)};

// The callbacks of one attempt, and whether it was they who ended it.
struct Callbacks {
  const StoreRequest* ask = nullptr;
  bool failed = false;
  bool heard = false;  // a good answer has begun

  Status Heed(Status status) {
    failed = failed || !status;
    return status;
  }
};

Outcome EndedBy(FailureClass trouble, Error error) {
  Outcome outcome;
  outcome.trouble = trouble;
  outcome.error = std::move(error);
  return outcome;
}

}  // namespace

bool RetryBudget::TakeRetry() {
  std::lock_guard lock(mutex_);
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

void RetryBudget::Succeeded() {
  std::lock_guard lock(mutex_);
  left_ = std::min(left_ + kGivenBack, kMost);
}

double RetryBudget::left() const {
  std::lock_guard lock(mutex_);
  return left_;
}

Retries::Retries(RetryBudget& budget, ExchangeClock& clock, std::chrono::milliseconds patience,
                 bool from_failure)
    : budget_(budget), clock_(clock), patience_(patience), from_failure_(from_failure) {
  Progressed();
  is_free_ = false;
}

void Retries::Progressed() {
  tries_ = 0;
  is_free_ = true;
  started_slowly_ = set_the_clock_ = renewed_ = false;
  began_ = from_failure_ ? std::nullopt : std::optional(clock_.Now());
}

std::chrono::milliseconds Retries::Left() const {
  if (!began_) return patience_;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*began_ + patience_ - clock_.Now());
  return std::max(left, kLeastTime);
}

std::optional<std::chrono::milliseconds> Retries::Next(FailureClass trouble,
                                                       std::optional<std::chrono::seconds> asked) {
  ++tries_;
  if (!began_) began_ = clock_.Now();
  auto once = [](bool& done) {
    return std::exchange(done, true) ? std::nullopt : std::optional(std::chrono::milliseconds(0));
  };
  switch (trouble) {
    case FailureClass::kSkewed:
      return once(set_the_clock_);
    case FailureClass::kExpired:
      return once(renewed_);
    case FailureClass::kSlowStart:
      if (!started_slowly_ && budget_.TakeRetry()) return once(started_slowly_);
      return Later(asked);
    case FailureClass::kRetryable:
    case FailureClass::kCircuitOpen:
      return Later(asked);
    default:
      return std::nullopt;
  }
}

std::optional<std::chrono::milliseconds> Retries::Later(std::optional<std::chrono::seconds> asked) {
  if (tries_ >= kMostTries) return std::nullopt;
  auto wait = std::min(kFirstWait * (1U << (tries_ - 1)), kLongestWait);
  // Between half of it and all: those who failed together do not come back together.
  const double part = 0.5 + 0.5 * clock_.Random();
  wait = std::chrono::milliseconds(
      static_cast<std::int64_t>(static_cast<double>(wait.count()) * part));
  if (asked) wait = std::max<std::chrono::milliseconds>(wait, *asked);
  if (clock_.Now() + wait > *began_ + patience_) return std::nullopt;
  if (!std::exchange(is_free_, false) && !budget_.TakeRetry()) return std::nullopt;
  return wait;
}

std::optional<Credentials> CredentialKeeper::Usable() const {
  std::lock_guard lock(mutex_);
  if (!current_) return std::nullopt;
  if (current_->expires != 0 && clock_.WallNow() >= current_->expires) return std::nullopt;
  return current_;
}

bool CredentialKeeper::IsDue() const {
  std::lock_guard lock(mutex_);
  const UnixSeconds now = clock_.WallNow();
  if (!current_ || current_->expires == 0) return false;
  return now >= current_->expires - kEarly && now >= not_before_;
}

Result<Credentials> CredentialKeeper::Get(std::stop_token stop) {
  std::optional<Credentials> usable = Usable();
  const bool changed = source_->HasChanged();
  if (usable && !changed && !IsDue()) return *std::move(usable);
  std::unique_lock fetching(fetching_, std::defer_lock);
  if (usable && !changed) {
    // Another thread fetches them already; these are good for some minutes.
    if (!fetching.try_lock()) return *std::move(usable);
  } else {
    fetching.lock();
  }
  std::optional<Credentials> since = Usable();
  if (since && !source_->HasChanged() && !IsDue()) return *std::move(since);
  auto fetched = Fetch(std::move(stop));
  if (fetched || !since) return fetched;
  // An early refresh may fail: these have not expired.
  std::lock_guard lock(mutex_);
  not_before_ = clock_.WallNow() + kPause;
  return *std::move(since);
}

Result<Credentials> CredentialKeeper::Fetch(std::stop_token stop) {
  ASSIGN_OR_RETURN(Credentials fetched, source_->Fetch(std::move(stop)));
  std::lock_guard lock(mutex_);
  current_ = fetched;
  not_before_ = 0;
  return fetched;
}

void CredentialKeeper::Expire(const Credentials& refused) {
  std::lock_guard lock(mutex_);
  if (current_ == refused) current_.reset();
}

RequestSender::RequestSender(Address address, http::ClientOptions client,
                             std::unique_ptr<CredentialSource> source, ExchangeClock& clock,
                             StoreMetrics& seen)
    : address_(std::move(address)),
      clock_(clock),
      seen_(seen),
      credentials_(std::move(source), clock),
      clients_(std::move(client)),
      breaker_(kStoreBreaker) {}

UnixSeconds RequestSender::Now() const { return clock_.WallNow() + seen_.clock_offset; }

Result<SigningKey> RequestSender::Key(std::stop_token stop) {
  ASSIGN_OR_RETURN(Credentials credentials, credentials_.Get(std::move(stop)));
  return SigningKey{
      .credentials = std::move(credentials), .region = address_.region(), .now = Now()};
}

Status RequestSender::MayEnter() {
  auto permit = breaker_.Enter(address_.host(), clock_.Now());
  if (!permit) return std::unexpected(std::move(permit).error());
  return {};
}

Outcome RequestSender::Classify(const StoreRequest& ask, http::ClientResponse answer) const {
  Outcome outcome;
  if (answer.status / 100 != 2) outcome.said = ParseStoreError(answer.body);
  outcome.trouble = ClassifyResponse(answer, outcome.said, ask.method == "HEAD", Now());
  if (outcome.trouble != FailureClass::kNone) {
    outcome.error = ErrorOf(outcome.trouble, {.operation = ask.operation,
                                              .address = address_,
                                              .answer = answer,
                                              .said = outcome.said,
                                              .source = credentials_.source_name()});
    outcome.retry_after =
        http::ParseRetryAfter(answer.Get("retry-after").value_or(""), clock_.WallNow());
    if (outcome.retry_after) {
      outcome.error.retry_after = static_cast<unsigned>(outcome.retry_after->count());
    }
  }
  outcome.answer = std::move(answer);
  return outcome;
}

void RequestSender::Recover(const Outcome& outcome, const Credentials& used) {
  if (outcome.trouble == FailureClass::kExpired) credentials_.Expire(used);
  if (outcome.trouble != FailureClass::kSkewed) return;
  auto date = http::ParseHttpDate(outcome.answer.Get("date").value_or(""));
  if (date) seen_.clock_offset = *date - clock_.WallNow();
}

Outcome RequestSender::SendOnce(const StoreRequest& ask) {
  auto key = Key(ask.stop);
  if (!key) {
    const bool later = key.error().kind == ErrorKind::kUnavailable;
    return EndedBy(later ? FailureClass::kRetryable : FailureClass::kPermanent,
                   std::move(key).error());
  }
  auto permit = breaker_.Enter(address_.host(), clock_.Now());
  seen_.circuit_open = !permit;
  if (!permit) return EndedBy(FailureClass::kCircuitOpen, std::move(permit).error());
  http::ClientRequest request = EncodeRequest(ask, address_, *key);
  Callbacks callbacks{.ask = &ask};
  if (ask.on_head) {
    request.on_head = [&callbacks](const http::ClientResponse& head) {
      callbacks.heard = true;
      return callbacks.Heed(callbacks.ask->on_head(head));
    };
  }
  if (ask.sink) {
    request.sink = [&callbacks](std::span<const std::byte> bytes) {
      return callbacks.Heed(callbacks.ask->sink(bytes));
    };
  }
  auto answer = clients_.Take()->Send(request);
  if (!answer && (callbacks.failed || ask.stop.stop_requested())) {
    return EndedBy(FailureClass::kCancelled, std::move(answer).error());
  }
  if (!answer) {
    // A store that answers and breaks off is not down: what has arrived counts.
    if (!callbacks.heard) permit->Failed(clock_.Now());
    FailureClass trouble = ClassifyBreak(answer.error());
    return EndedBy(trouble, std::move(answer).error());
  }
  const bool broken = answer->status >= 500 && answer->status != 501 && answer->status != 507;
  broken ? permit->Failed(clock_.Now()) : permit->Succeeded();
  Outcome outcome = Classify(ask, *std::move(answer));
  Recover(outcome, key->credentials);
  return outcome;
}

Outcome RequestSender::Attempt(const StoreRequest& ask) {
  SpanScope span(CurrentTrace(), fmt::format("store {}", NameOf(ask.operation)));
  Outcome outcome = SendOnce(ask);
  span.Describe("http.request.method", ask.method);
  if (outcome.answer.status != 0) {
    span.Describe("http.response.status_code", std::int64_t{outcome.answer.status});
  }
  if (outcome.trouble != FailureClass::kNone) span.SetFailed();
  ++seen_.Of(ask.operation, outcome.trouble);
  if (outcome.trouble == FailureClass::kNone) budget_.Succeeded();
  return outcome;
}

bool RequestSender::WaitFor(const Outcome& outcome, Retries& retries, const std::stop_token& stop) {
  auto wait = retries.Next(outcome.trouble, outcome.retry_after);
  if (!wait || stop.stop_requested()) return false;
  ++seen_.retries;
  if (wait->count() > 0) clock_.Wait(*wait, stop);
  return !stop.stop_requested();
}

Outcome RequestSender::Send(StoreRequest ask, Retries& retries) {
  while (true) {
    if (ask.within_deadline) ask.total_timeout = retries.Left();
    Outcome outcome = Attempt(ask);
    if (outcome.trouble == FailureClass::kNone || !WaitFor(outcome, retries, ask.stop))
      return outcome;
    // The second try may take as long as the store lets a stall last.
    ask.new_connection = outcome.trouble == FailureClass::kSlowStart;
    if (ask.new_connection) ask.first_byte_timeout = std::chrono::milliseconds(0);
  }
}

}  // namespace koya::s3
