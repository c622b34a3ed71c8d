#include "http/server/request_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <utility>

#include "base/traced_executor.h"
#include "http/server/request_words.h"
#include "http/server/target.h"

namespace koya::http {
namespace asio = boost::asio;

namespace {

unsigned StatusOfBody(ErrorKind kind) {
  if (kind == ErrorKind::kTimeout) return 408;
  return kind == ErrorKind::kTooLarge ? 413 : 400;
}

unsigned StatusOfSource(ErrorKind kind) {
  if (kind == ErrorKind::kTimeout || kind == ErrorKind::kUpstreamTimeout) return 504;
  if (kind == ErrorKind::kBadUpstream) return 502;
  if (kind == ErrorKind::kStorageFull) return 507;
  return kind == ErrorKind::kUnavailable ? 503 : 500;
}

}  // namespace

void RequestExchange::Begin() {
  // In place: most of it is left as it is made.
  std::destroy_at(&state_);
  std::construct_at(&state_);
  state_.started = Clock::now();
}

std::optional<Response> RequestExchange::Prepare(const RequestSource& source,
                                                 const std::optional<Fault>& fault,
                                                 IncomingBody& body) {
  if (engine_.options.spans != nullptr && !TraceIdOf(head.traceparent).empty()) {
    state_.trace = std::make_shared<const Trace>(*engine_.options.spans, head.traceparent);
  }
  NameRequest();
  FillRequest(source);
  if (fault) return FaultResponse(*fault);
  if (const std::optional<Fault> found = CheckHead()) return FaultResponse(*found);
  std::optional<Response> answer;
  AdmitClient(source, answer);
  if (!answer) FindRoute(body, answer);
  return answer;
}

void RequestExchange::NameRequest() {
  if (IsSaneRequestId(head.request_id)) {
    state_.request.request_id = head.request_id;
    return;
  }
  loop_.request_ids.Next(id_);
  state_.request.request_id = {id_.data(), id_.size()};
}

void RequestExchange::FillRequest(const RequestSource& source) {
  Request& request = state_.request;
  request.method = head.method;
  request.method_text = head.method_text;
  request.fields = head.fields;
  request.host = head.host;
  request.has_body = head.has_body();
  request.content_length = head.content_length;
  Origin origin =
      ResolveOrigin({source.address, source.secure}, head.fields, engine_.trusted_proxies);
  request.remote = origin.remote;
  request.secure = origin.secure;
}

std::optional<Fault> RequestExchange::CheckHead() {
  if (head.method == Method::kConnect) {
    return Fault{501, "this server is not a proxy: CONNECT is not implemented"};
  }
  auto target = ParseTarget(head.method, head.target, decoded_path_);
  if (!target) return target.error();
  Request& request = state_.request;
  request.path = target->path;
  request.query = target->query;
  if (!target->authority.empty()) request.host = target->authority;
  if (!head.expects_other) return std::nullopt;
  return Fault{417, "the only supported expectation is 100-continue"};
}

// The proxy is no client: the requests of a client that run through it count as its connections
// would. So do those of an HTTP/2 connection, which itself counts for one of them.
void RequestExchange::AdmitClient(const RequestSource& source, std::optional<Response>& answer) {
  const bool is_direct = state_.request.remote == source.address;
  if (source.is_proxy ? is_direct : !source.runs_others) return;
  auto permit = engine_.limits.Admit(state_.request.remote, Counted::kByAddress);
  if (permit) {
    client_.emplace(*std::move(permit));
    return;
  }
  answer = ErrorResponse(429, "too many requests from this address are running; wait for them");
  answer->fields.emplace_back("Retry-After", "1");
  answer->limit = "limits.connections_per_address";
}

void RequestExchange::FindRoute(IncomingBody& body, std::optional<Response>& answer) {
  const Request& request = state_.request;
  Router::Match match = loop_.routes.FindRoute(request.method, request.path);
  state_.route = match.route;
  if (match.route != nullptr) {
    state_.exchange.emplace(request, match.parameters, body);
    CheckBody(body, answer);
    return;
  }
  const bool has_no_routes = request.method == Method::kOther || request.method == Method::kTrace;
  if (match.allow.empty() && (has_no_routes || request.path == "*")) {
    match.allow = engine_.allowed_anywhere;
  }
  if (match.allow.empty()) {
    answer = ErrorResponse(404, "there is nothing at this path");
    return;
  }
  if (request.method == Method::kOptions) {
    answer.emplace().status = 204;
  } else {
    answer = ErrorResponse(405, "this path does not accept this method; see the Allow field");
  }
  answer->fields.emplace_back("Allow", std::move(match.allow));
}

void RequestExchange::CheckBody(IncomingBody& body, std::optional<Response>& answer) {
  const std::uint64_t limit = state_.route->max_body;
  body.set_limit(limit, state_.route->max_body_name);
  const bool too_large = head.content_length.value_or(0) > limit || (head.chunked && limit == 0);
  if (!too_large) return;
  const std::string message = TooLargeMessage(limit);
  answer = FaultResponse(Fault{413, message, state_.route->max_body_name});
}

std::optional<Response> RequestExchange::AskReadyAnswer() {
  if (!state_.route->ready) return std::nullopt;
  return state_.route->ready(*state_.exchange);
}

Awaitable<Response> RequestExchange::CallHandler(IncomingBody& body, LoopExecutor executor,
                                                 ClientLink client) {
  Exchange& exchange = *state_.exchange;
  exchange.client = std::move(client);
  Response response;
  try {
    if (state_.trace) {
      response = co_await CallTraced(executor);
    } else {
      response = co_await state_.route->handler(exchange);
    }
  } catch (const std::exception& error) {
    if (cut_) throw;  // the client is gone
    exchange.meter.reset();
    response = InternalError(error.what());
  }
  if (body.failure()) {
    const Error& failure = *body.failure();
    response = FaultResponse(Fault{StatusOfBody(failure.kind), failure.message, failure.limit});
  }
  co_return response;
}

// A trace belongs to the executor, so a handler whose request is traced runs as a coroutine of its
// own. Afterwards this one goes on from the loop, outside that trace.
Awaitable<Response> RequestExchange::CallTraced(LoopExecutor executor) {
  const asio::any_io_executor traced = TracedExecutor(executor, state_.trace);
  Awaitable<Response> answer = state_.route->handler(*state_.exchange);
  Response response = co_await asio::co_spawn(traced, std::move(answer), asio::use_awaitable);
  co_await asio::post(executor, asio::use_awaitable);
  co_return response;
}

Response RequestExchange::ErrorResponse(unsigned status, std::string_view message) {
  Response response = engine_.error_answer(
      {.status = status, .message = message, .request = state_.request, .target = head.target});
  response.status = status;
  response.fields.emplace_back("Cache-Control", "no-store");
  response.log_detail = message;
  return response;
}

Response RequestExchange::FaultResponse(const Fault& fault) {
  state_.faulted = true;
  Response response = ErrorResponse(fault.status, fault.message);
  response.limit = fault.limit;
  return response;
}

Response RequestExchange::InternalError(std::string_view what) {
  engine_.observer.OnInternalError(state_.request.request_id, what);
  Response response = ErrorResponse(
      500, "an internal error occurred; the server's log has the details under this request's ID");
  response.log_detail = what;
  return response;
}

Response RequestExchange::RefusalOfSource(const Error& error) {
  Response refusal = ErrorResponse(StatusOfSource(error.kind), error.message);
  refusal.log_detail += ": " + error.detail;
  if (error.kind == ErrorKind::kUnavailable) {
    refusal.fields.emplace_back("Retry-After", std::to_string(std::max(error.retry_after, 1U)));
  }
  return refusal;
}

Response RequestExchange::RefusalOfRange(std::uint64_t size) {
  Response refusal = ErrorResponse(416, "the range is outside of the file");
  refusal.fields.emplace_back("Content-Range", fmt::format("bytes */{}", size));
  return refusal;
}

AnswerPlan RequestExchange::Plan(const Response& response, bool keep_alive, std::string& out) {
  state_.detail = response.log_detail;
  state_.limit = response.limit;
  const Request& request = state_.request;
  AnswerContext context{head, loop_.AnswerFields(request.secure), request.request_id, keep_alive};
  const std::size_t start = out.size();
  AnswerPlan plan = PlanAnswer(context, response, out);
  state_.status = plan.status;
  state_.counts.answer_head = out.size() - start;
  return plan;
}

void RequestExchange::Release() {
  if (state_.exchange) state_.exchange->held.reset();
  client_.reset();
}

void RequestExchange::Report(const IncomingBody& body, bool cut_off, bool http2) {
  const Request& request = state_.request;
  const Counts& counts = state_.counts;
  const unsigned status = state_.status;
  if (state_.exchange) {
    const Exchange& exchange = *state_.exchange;
    const bool is_whole = (status == 200 || status == 204 || status == 302) && !cut_off;
    if (exchange.meter) exchange.meter->fetch_add(counts.sent);
    if (exchange.tally && is_whole && head.method == Method::kGet) exchange.tally->fetch_add(1);
  }
  RequestRecord record;
  record.method = request.method_text;
  record.path = request.path;
  if (state_.route != nullptr) record.route = state_.route->pattern;
  record.remote = request.remote;
  record.request_id = request.request_id;
  if (!head.traceparent.empty()) record.trace_id = TraceIdOf(head.traceparent);
  record.user_agent = head.user_agent;
  record.detail = state_.detail;
  record.limit = state_.limit;
  record.status = status;
  record.bytes_received = counts.head + body.received();
  record.bytes_sent = counts.answer_head + counts.sent;
  record.duration = Clock::now() - state_.started;
  record.cut_off = cut_off;
  record.http2 = http2;
  engine_.observer.OnRequest(record);
  if (state_.trace && state_.trace->sampled()) ReportSpan(record);
}

void RequestExchange::ReportSpan(const RequestRecord& record) const {
  const std::string_view named = record.route.empty() ? "(no route)" : record.route;
  Span span = state_.trace->RequestSpan(fmt::format("{} {}", record.method, named),
                                        record.duration.count());
  span.attributes = {{"http.request.method", std::string(record.method)},
                     {"http.route", std::string(record.route)},
                     {"url.path", std::string(record.path)},
                     {"http.response.status_code", std::int64_t{record.status}},
                     {"http.response.body.size", static_cast<std::int64_t>(record.bytes_sent)},
                     {"koya.request_id", std::string(record.request_id)}};
  span.failed = record.status >= 500 || record.cut_off;
  engine_.options.spans->AcceptSpan(std::move(span));
}

Task<std::uint64_t> WaitToSend(const FileBody& file, FileSlice slice) {
  const std::uint64_t last = slice.offset + slice.length - 1;
  if (!file.growth->parts_wait()) co_return co_await file.growth->WaitBeyond(slice.offset);
  if (slice.length == 1) co_return co_await file.growth->WaitBeyond(file.size - 1);
  ASSIGN_OR_CO_RETURN(std::uint64_t end, co_await file.growth->WaitBeyond(slice.offset));
  co_return end == file.size ? end : std::min(end, last);
}

}  // namespace koya::http
