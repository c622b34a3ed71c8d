#include "blobs/s3/request_sender.h"

#include <fmt/format.h>

#include <utility>

#include "blobs/s3/error_classifier.h"
#include "blobs/s3/object_client.h"
#include "http/client/retry_after.h"

namespace koya::s3 {
namespace {

constexpr BreakerOptions kStoreBreaker{.failures = 5, .open = std::chrono::seconds(1)};
constexpr std::uint64_t kMaxAnswer = 4 << 20;  // of XML

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

http::ClientRequest RequestSender::RequestOf(const StoreRequest& ask, const SigningKey& key) const {
  http::ClientRequest request{.method = ask.method};
  const std::string query = CanonicalQuery(ask.query);
  request.url =
      fmt::format("{}{}{}{}", address_.Origin(), ask.path, query.empty() ? "" : "?", query);
  request.fields = SignedFields(key, Signed{.method = ask.method,
                                            .host = address_.host(),
                                            .path = ask.path,
                                            .query = ask.query,
                                            .fields = ask.signed_fields,
                                            .payload_hash = ask.payload_hash});
  request.fields.insert(request.fields.end(), ask.other_fields.begin(), ask.other_fields.end());
  request.body = ask.body;
  request.upload = ask.upload;
  request.plain = true;
  request.new_connection = ask.new_connection;
  request.piece_bytes = kObjectPiece;
  request.max_body = ask.sink ? UINT64_MAX : kMaxAnswer;
  request.total_timeout = ask.total_timeout;
  request.stall_timeout = ask.stall_timeout;
  request.first_byte_timeout = ask.first_byte_timeout;
  request.stop = ask.stop;
  return request;
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
  http::ClientRequest request = RequestOf(ask, *key);
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
  Outcome outcome = SendOnce(ask);
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
