#include "http/server/http2_stream.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/traced_executor.h"
#include "http/server/http2_connection.h"
#include "http/server/request_body.h"
#include "http/server/target.h"

namespace koya::http {
namespace asio = boost::asio;

namespace {

constexpr LoopTime kResetDelay = 500;

unsigned StatusOfBody(ErrorKind kind) {
  if (kind == ErrorKind::kTimeout) return 408;
  return kind == ErrorKind::kTooLarge ? 413 : 400;
}

std::string DescribeFailure(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

Http2Stream::Http2Stream(Http2Connection& connection, std::int32_t id)
    : connection_(connection),
      loop_(connection.loop()),
      engine_(loop_.engine),
      id_(id),
      body_(*this) {
  Http2Connection::Buffers& spare = connection_.spare();
  text_ = std::move(spare.text);
  answer_head_ = std::move(spare.answer_head);
  head_.fields = std::move(spare.fields);
  text_.clear();
  answer_head_.clear();
  head_.fields.clear();
}

Http2Stream::~Http2Stream() = default;

void Http2Stream::AcceptHead(const Http2HeadWriter& head, bool has_body) {
  started_ = Clock::now();
  head.Finish(text_);
  fault_ = head.FindFault();
  if (fault_) {
    overlong_.emplace().AcceptBytes(text_);
    overlong_->Describe(head_);
    return;
  }
  fault_ = ParseHead(text_, head_);
  // A body without a length is no fault here: its last frame says that it is the last.
  head_.chunked = has_body && !head_.content_length;
  if (!has_body) body_.AcceptEnd();
  if (has_body && head_.expects_continue) body_.set_expects_continue();
}

void Http2Stream::Start() {
  waits_to_start = false;
  if (closed_) return End(nullptr);
  response_ = Prepare();
  if (!response_) response_ = AskReadyAnswer();
  if (response_ && IsAtHand(*response_)) {
    Submit(Plan());
    return;
  }
  running_ = true;
  auto end = [this](const std::exception_ptr& failure) {
    running_ = false;
    End(failure);
  };
  asio::co_spawn(connection_.transport().executor(), Run(),
                 asio::bind_cancellation_slot(cancel_.slot(), std::move(end)));
}

void Http2Stream::FillRequest() {
  if (IsSaneRequestId(head_.request_id)) {
    request_.request_id = head_.request_id;
  } else {
    loop_.request_ids.Next(request_id_);
    request_.request_id = {request_id_.data(), request_id_.size()};
  }
  request_.method = head_.method;
  request_.method_text = head_.method_text;
  request_.fields = head_.fields;
  request_.host = head_.host;
  request_.has_body = head_.has_body();
  request_.content_length = head_.content_length;
  Origin direct{connection_.peer(), connection_.transport().secure()};
  Origin origin = ResolveOrigin(direct, head_.fields, engine_.trusted_proxies);
  request_.remote = origin.remote;
  request_.secure = origin.secure;
}

std::optional<Response> Http2Stream::Prepare() {
  if (engine_.options.spans != nullptr && !TraceIdOf(head_.traceparent).empty()) {
    trace_ = std::make_shared<const Trace>(*engine_.options.spans, head_.traceparent);
  }
  FillRequest();
  if (!fault_) fault_ = CheckHead();
  if (fault_) return FaultResponse(*fault_);
  std::optional<Response> answer = AdmitClient();
  if (!answer) answer = FindRoute();
  if (!answer) answer = CheckBody();
  return answer;
}

std::optional<Fault> Http2Stream::CheckHead() {
  if (head_.method == Method::kConnect) {
    return Fault{501, "this server is not a proxy: CONNECT is not implemented"};
  }
  auto target = ParseTarget(head_.method, head_.target, decoded_path_);
  if (!target) return target.error();
  request_.path = target->path;
  request_.query = target->query;
  if (!head_.expects_other) return std::nullopt;
  return Fault{417, "the only supported expectation is 100-continue"};
}

std::optional<Response> Http2Stream::AdmitClient() {
  if (!connection_.peer_is_proxy() || request_.remote == connection_.peer()) return std::nullopt;
  auto permit = engine_.limits.Admit(request_.remote, Counted::kByAddress);
  if (permit) {
    client_.emplace(*std::move(permit));
    return std::nullopt;
  }
  Response refusal =
      ErrorResponse(429, "too many requests from this address are running; wait for them");
  refusal.fields.emplace_back("Retry-After", "1");
  refusal.limit = "limits.connections_per_address";
  return refusal;
}

std::optional<Response> Http2Stream::FindRoute() {
  match_ = engine_.router.FindRoute(request_.method, request_.path);
  if (match_.route != nullptr) return std::nullopt;
  const bool has_no_routes = request_.method == Method::kOther || request_.method == Method::kTrace;
  if (match_.allow.empty() && (has_no_routes || request_.path == "*")) {
    match_.allow = engine_.allowed_anywhere;
  }
  if (match_.allow.empty()) return ErrorResponse(404, "there is nothing at this path");
  Response answer;
  if (request_.method == Method::kOptions) {
    answer.status = 204;
  } else {
    answer = ErrorResponse(405, "this path does not accept this method; see the Allow field");
  }
  answer.fields.emplace_back("Allow", match_.allow);
  return answer;
}

std::optional<Response> Http2Stream::CheckBody() {
  const std::uint64_t limit = match_.route->max_body;
  body_.set_limit(limit, match_.route->max_body_name);
  const bool too_large = head_.content_length.value_or(0) > limit || (head_.chunked && limit == 0);
  if (!too_large) return std::nullopt;
  const std::string message = TooLargeMessage(limit);
  return FaultResponse(Fault{413, message, match_.route->max_body_name});
}

std::optional<Response> Http2Stream::AskReadyAnswer() {
  if (!match_.route->ready) return std::nullopt;
  Exchange exchange{request_, match_.parameters, body_};
  std::optional<Response> answer = match_.route->ready(exchange);
  if (answer) TakeOver(exchange);
  return answer;
}

void Http2Stream::TakeOver(Exchange& exchange) {
  meter_ = std::move(exchange.meter);
  tally_ = std::move(exchange.tally);
  held_ = std::move(exchange.held);
}

Awaitable<void> Http2Stream::Run() {
  if (!response_) {
    Exchange exchange{request_, match_.parameters, body_};
    exchange.client = connection_.transport().descriptor();
    try {
      response_ = co_await CallHandler(exchange);
      TakeOver(exchange);
    } catch (const std::exception& error) {
      if (cut_) throw;  // the client is gone
      response_ = InternalError(error.what());
    }
    if (body_.failure()) {
      const Error& failure = *body_.failure();
      response_ = FaultResponse(Fault{StatusOfBody(failure.kind), failure.message, failure.limit});
    }
  }
  co_await SendAnswer();
}

// A trace belongs to the executor, so a handler whose request is traced runs as a coroutine of its
// own. Afterwards this one goes on from the loop.
Awaitable<Response> Http2Stream::CallHandler(Exchange& exchange) {
  const auto& handler = match_.route->handler;
  if (!trace_) co_return co_await handler(exchange);
  const LoopExecutor executor = connection_.transport().executor();
  const asio::any_io_executor traced = TracedExecutor(executor, trace_);
  Awaitable<Response> answer = handler(exchange);
  Response response = co_await asio::co_spawn(traced, std::move(answer), asio::use_awaitable);
  co_await asio::post(executor, asio::use_awaitable);
  co_return response;
}

Awaitable<void> Http2Stream::Wait() {
  if (!waker_) waker_.emplace(connection_.transport().executor());
  // Wake() ends the wait: for bytes, for room, for the end of the stream, or by the ticker.
  waker_->expires_at(LoopTimer::time_point::max());
  waiting_ = true;
  boost::system::error_code ignored;
  co_await waker_->async_wait(asio::bind_executor(
      connection_.transport().executor(), asio::redirect_error(asio::use_awaitable, ignored)));
  waiting_ = false;
}

void Http2Stream::Wake() {
  if (waiting_) waker_->cancel();
}

// A client may need time to see that its body is not wanted (RFC 9113 §8.1): some take a reset for
// a failure while they send.
void Http2Stream::SetSentWhole(bool has_rest) {
  sent_whole_ = true;
  if (has_rest) reset_at_ = LoopNow() + kResetDelay;
}

void Http2Stream::Expire(LoopTime now) {
  body_.Expire(now);
  if (now >= reset_at_) {
    reset_at_ = kNever;
    Reset(NGHTTP2_NO_ERROR);
  }
  if (now < send_deadline_ || deferred_ || sent_whole_ || closed_) return;
  send_deadline_ = kNever;
  Reset(NGHTTP2_CANCEL);
}

void Http2Stream::Cut() {
  cut_ = true;
  cancel_.emit(asio::cancellation_type::terminal);
}

void Http2Stream::Close() {
  closed_ = true;
  body_.GiveBack(!running_);
  Wake();
  if (!running_ && !waits_to_start) End(nullptr);
}

// Once both the handler and the stream have ended, so does this.
void Http2Stream::End(const std::exception_ptr& failure) {
  if (failure) {
    outgoing_ = {};  // its bytes may have ended with the handler
    if (!cut_) engine_.observer.OnInternalError(request_.request_id, DescribeFailure(failure));
    Reset(NGHTTP2_INTERNAL_ERROR);
  }
  if (running_ || !closed_ || ended_) return;
  ended_ = true;
  body_.GiveBack(true);
  response_.reset();
  held_.reset();
  client_.reset();
  if (!request_.request_id.empty()) Report();
  connection_.spare() = {std::move(text_), std::move(answer_head_), std::move(head_.fields)};
  connection_.Remove(*this);
}

void Http2Stream::Report() {
  if (meter_) meter_->fetch_add(sent_);
  const bool is_success = status_ == 200 || status_ == 204 || status_ == 302;
  if (tally_ && sent_whole_ && is_success && head_.method == Method::kGet) tally_->fetch_add(1);
  RequestRecord record;
  record.method = request_.method_text;
  record.path = request_.path;
  if (match_.route != nullptr) record.route = match_.route->pattern;
  record.remote = request_.remote;
  record.request_id = request_.request_id;
  if (!head_.traceparent.empty()) record.trace_id = TraceIdOf(head_.traceparent);
  record.user_agent = head_.user_agent;
  record.detail = detail_;
  record.limit = limit_;
  record.status = status_;
  record.bytes_received = text_.size() + body_.received();
  record.bytes_sent = answer_head_.size() + sent_;
  record.duration = Clock::now() - started_;
  record.cut_off = !sent_whole_;
  record.http2 = true;
  engine_.observer.OnRequest(record);
  if (trace_ && trace_->sampled()) ReportSpan(record);
}

void Http2Stream::ReportSpan(const RequestRecord& record) const {
  const std::string_view named = record.route.empty() ? "(no route)" : record.route;
  Span span =
      trace_->RequestSpan(fmt::format("{} {}", record.method, named), record.duration.count());
  span.attributes = {{"http.request.method", std::string(record.method)},
                     {"http.route", std::string(record.route)},
                     {"url.path", std::string(record.path)},
                     {"http.response.status_code", std::int64_t{record.status}},
                     {"http.response.body.size", static_cast<std::int64_t>(record.bytes_sent)},
                     {"koya.request_id", std::string(record.request_id)}};
  span.failed = record.status >= 500 || record.cut_off;
  engine_.options.spans->AcceptSpan(std::move(span));
}

}  // namespace koya::http
