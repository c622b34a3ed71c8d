#include "http/server/connection.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

#include "base/traced_executor.h"
#include "http/server/http2_connection.h"
#include "http/server/request_words.h"
#include "http/server/target.h"

namespace koya::http {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kBatch = 64 * 1024;  // answers gathered before they are sent in any case
constexpr LoopTime kLingerMost = 10'000;
// Limits on the time to wait for the rest of a head that is too long, and on the bytes examined.
constexpr LoopTime kReadOnMost = 250;
constexpr std::size_t kReadOnBytes = 64 * 1024;

unsigned StatusOf(ErrorKind kind) {
  if (kind == ErrorKind::kTimeout) return 408;
  return kind == ErrorKind::kTooLarge ? 413 : 400;
}

}  // namespace

Connection::Connection(LoopContext& loop, Socket socket, std::unique_ptr<TlsSession> tls, Peer peer)
    : loop_(loop),
      engine_(loop.engine),
      peer_(std::move(peer)),
      transport_(std::move(socket), std::move(tls),
                 {engine_.options.send_stall_timeout.count(), engine_.options.disk,
                  engine_.options.is_in_memory}) {}

Connection::~Connection() = default;

Awaitable<void> Connection::Serve() {
  LoopTime handshake_deadline = LoopNow() + engine_.options.handshake_deadline.count();
  bool open = true;
  if (peer_.is_proxy && engine_.options.proxy_protocol) {
    open = co_await LearnClient(handshake_deadline);
  }
  if (open) open = co_await transport_.Handshake(handshake_deadline);
  if (!open) co_return;
  if (transport_.is_http2()) {
    co_await ServeHttp2();
    co_return;
  }
  while (open) {
    std::optional<Received> received = LookForHead();
    if (received) {
      if (overlong_) co_await ReadOn();
      std::optional<Response> response = BeginRequest(*received);
      if (!AnswerAtOnce(response)) {
        open = co_await AnswerNext(std::move(response));
      } else if (!IsReadyForNext()) {
        open = co_await FinishRequest();
      }
      continue;
    }
    IoVec rest;
    if (!TryFlush(rest)) open = co_await FlushRest(rest);
    std::optional<LoopTime> deadline = PrepareToReceive();
    if (!open || !deadline) break;
    std::span<char> space = input_.Space(engine_.options.max_header_bytes);
    std::size_t got = co_await transport_.Read(space, *deadline);
    idle_ = false;
    input_.Arrived(got);
    if (got > 0) continue;
    if (IsLate()) {
      std::optional<Response> response = BeginRequest(Received::kFault);
      co_await AnswerNext(std::move(response));
    }
    break;
  }
  if (transport_.state() == Transport::State::kBroken) co_return;
  bool linger = current_.linger || !input_.unread().empty();
  co_await transport_.Close(linger, LoopNow() + kLingerMost);
}

Awaitable<void> Connection::ServeHttp2() {
  http2_ = std::make_unique<Http2Connection>(loop_, transport_, peer_.address, peer_.is_proxy);
  if (draining_) http2_->Drain();
  co_await http2_->Serve();
  co_await transport_.Close(http2_->faulted(), LoopNow() + kLingerMost);
}

Awaitable<std::optional<std::string>> Connection::ReadProxyHeader(LoopTime deadline) {
  std::string header(kProxyHeaderStart, '\0');
  if (!co_await transport_.ReadBelowTls(header, deadline)) co_return std::nullopt;
  const auto size = ProxyHeaderSize(std::span<const char>(header).first<kProxyHeaderStart>());
  if (!size) co_return std::nullopt;
  header.resize(*size);
  const std::span<char> rest = std::span<char>(header).subspan(kProxyHeaderStart);
  if (!co_await transport_.ReadBelowTls(rest, deadline)) co_return std::nullopt;
  co_return ProxiedClient(header);
}

// From here on the connection is that client's: it counts as one of its own, and what its requests
// say about proxies is believed only if the client is a trusted one too.
Awaitable<bool> Connection::LearnClient(LoopTime deadline) {
  std::optional<std::string> client = co_await ReadProxyHeader(deadline);
  if (!client) {
    engine_.observer.OnConnectionRefused("proxy_header");
    co_return false;
  }
  if (client->empty()) co_return true;
  peer_.address = *std::move(client);
  peer_.is_proxy = AnyContains(engine_.trusted_proxies, peer_.address);
  if (peer_.is_proxy) co_return true;
  auto permit = engine_.limits.Admit(peer_.address, Counted::kByAddress);
  if (!permit) {
    engine_.observer.OnConnectionRefused(permit.error());
    co_return false;
  }
  peer_.client.emplace(*std::move(permit));
  co_return true;
}

void Connection::Expire(LoopTime now) {
  transport_.Expire(now);
  if (http2_) http2_->Expire(now);
}

void Connection::Drain() {
  draining_ = true;
  if (http2_) http2_->Drain();
  if (idle_) transport_.Interrupt();
}

void Connection::Cut() {
  cut_ = true;
  transport_.Abort();
  if (http2_) http2_->Cut();
  cancel_.emit(boost::asio::cancellation_type::terminal);
}

// Gives back what large requests made the buffers grow by: most connections are idle most of the
// time.
void Connection::Rest() {
  constexpr std::size_t kKept = 4 * 1024;
  body_.reset();
  input_.Rest();
  transport_.Rest();
  if (out_.capacity() > kKept) out_.shrink_to_fit();
}

// Judges the bytes at hand; nullopt: more are needed.
std::optional<Connection::Received> Connection::LookForHead() {
  std::string_view unread = input_.unread();
  // One blank line before a request is forgiven (RFC 9112 §2.2).
  if (!skipped_blank_line_ && unread.starts_with("\r\n")) {
    skipped_blank_line_ = true;
    input_.Consume(2);
    unread = input_.unread();
  }
  if (unread.empty() || (unread == "\r" && !skipped_blank_line_)) return std::nullopt;
  std::size_t most = engine_.options.max_header_bytes;
  HeadScanner::Outcome outcome = scanner_.Scan(unread);
  if (outcome == HeadScanner::Outcome::kMalformed) {
    fault_ = Fault{400, "the request is not HTTP/1.1: lines must end in CR LF"};
    return Received::kFault;
  }
  bool complete = outcome == HeadScanner::Outcome::kComplete;
  std::size_t size = complete ? scanner_.head_size() : unread.size();
  if (size > most || (!complete && size == most)) {
    const bool in_target = !unread.contains('\n');
    fault_ = in_target ? Fault{414, "the request's target is too long", "limits.header_bytes"}
                       : Fault{431, "the request's header is too large", "limits.header_bytes"};
    overlong_.emplace();
    return Received::kFault;
  }
  if (complete) return Received::kHead;
  return std::nullopt;
}

// Looks through what there is of a head that is too long, and what follows soon, for what its
// refusal should look like. A client sends all of a head at once; one that does not is not waited
// for.
Awaitable<void> Connection::ReadOn() {
  if (!out_.empty()) co_await Flush();
  const LoopTime deadline = LoopNow() + kReadOnMost;
  std::size_t dropped = 0;
  while (true) {
    const std::string_view unread = input_.unread();
    overlong_->AcceptBytes(unread);
    dropped += unread.size();
    input_.Consume(unread.size());
    if (overlong_->is_over() || dropped > kReadOnBytes + engine_.options.max_header_bytes) break;
    const std::size_t got =
        co_await transport_.Read(input_.Space(engine_.options.max_header_bytes), deadline);
    if (got == 0) break;
    input_.Arrived(got);
  }
}

// Says until when to wait for more of a head, or for the next one; nullopt: not at all.
std::optional<LoopTime> Connection::PrepareToReceive() {
  idle_ = input_.unread().empty();
  LoopTime now = LoopNow();
  if (idle_) {
    if (draining_) return std::nullopt;
    Rest();
    return now + engine_.options.idle_timeout.count();
  }
  if (header_deadline_ == kNever) {
    header_deadline_ = now + engine_.options.header_deadline.count();
  }
  return header_deadline_;
}

// True if no complete head arrived in time although one had begun: the client gets a 408.
bool Connection::IsLate() {
  fault_ = Fault{408, "the request's header did not arrive in time", "timeouts.header"};
  return transport_.state() == Transport::State::kTimedOut && !input_.unread().empty();
}

Response Connection::ErrorResponse(unsigned status, std::string_view message) {
  Response response = engine_.error_answer(
      {.status = status, .message = message, .request = current_.request, .target = head_.target});
  response.status = status;
  response.fields.emplace_back("Cache-Control", "no-store");
  response.log_detail = message;
  return response;
}

// After a fault it is not known where the next request would begin.
Response Connection::FaultResponse(Fault fault) {
  current_.keep_alive = false;
  current_.linger = true;
  Response response = ErrorResponse(fault.status, fault.message);
  response.limit = fault.limit;
  return response;
}

Response Connection::InternalError(std::string_view what) {
  engine_.observer.OnInternalError(current_.request.request_id, what);
  Response response = ErrorResponse(
      500, "an internal error occurred; the server's log has the details under this request's ID");
  response.log_detail = what;
  return response;
}

void Connection::NameRequest() {
  if (IsSaneRequestId(head_.request_id)) {
    current_.request.request_id = head_.request_id;
    return;
  }
  loop_.request_ids.Next(id_);
  current_.request.request_id = {id_.data(), id_.size()};
}

void Connection::FillRequest() {
  Request& request = current_.request;
  request.method = head_.method;
  request.method_text = head_.method_text;
  request.fields = head_.fields;
  request.host = head_.host;
  request.has_body = head_.has_body();
  request.content_length = head_.content_length;
  Origin direct{peer_.address, transport_.secure()};
  Origin origin = ResolveOrigin(direct, head_.fields, engine_.trusted_proxies);
  request.remote = origin.remote;
  request.secure = origin.secure;
}

// Parses the head that was found and consumes it.
std::optional<Fault> Connection::TakeHead(Received received) {
  std::optional<Fault> fault = fault_;
  if (received == Received::kFault) {
    head_ = RequestHead();
    if (overlong_) overlong_->Describe(head_);
  } else {
    current_.head_size = scanner_.head_size();
    fault = ParseHead(input_.unread().substr(0, current_.head_size), head_);
    input_.Consume(current_.head_size);
  }
  scanner_.Reset();
  skipped_blank_line_ = false;
  header_deadline_ = kNever;
  return fault;
}

// The answer that is at hand; nullopt: the route's handler makes one.
std::optional<Response> Connection::BeginRequest(Received received) {
  if (std::optional<Response> refusal = Prepare(received)) return refusal;
  if (!current_.match.route->ready) return std::nullopt;
  Exchange exchange{current_.request, current_.match.parameters, *body_};
  std::optional<Response> answer = current_.match.route->ready(exchange);
  if (answer) TakeOver(exchange);
  return answer;
}

// The steps that come before a handler. An answer from one of them ends the matter.
std::optional<Response> Connection::Prepare(Received received) {
  // In place: most of it is left as it is made.
  std::destroy_at(&current_);
  std::construct_at(&current_);
  current_.started = Clock::now();
  std::optional<Fault> fault = TakeHead(received);
  if (engine_.options.spans != nullptr && !TraceIdOf(head_.traceparent).empty()) {
    current_.trace = std::make_shared<const Trace>(*engine_.options.spans, head_.traceparent);
  }
  current_.keep_alive = head_.keep_alive;
  NameRequest();
  FillRequest();
  body_.emplace(BodyPath{transport_, input_, head_, engine_.options});
  if (!fault) fault = CheckHead();
  if (fault) return FaultResponse(*fault);
  std::optional<Response> answer;
  AdmitClient(answer);
  if (!answer) FindRoute(answer);
  if (!answer) CheckBody(answer);
  return answer;
}

void Connection::TakeOver(Exchange& exchange) {
  current_.meter = std::move(exchange.meter);
  current_.tally = std::move(exchange.tally);
  current_.held = std::move(exchange.held);
}

std::optional<Fault> Connection::CheckHead() {
  if (head_.method == Method::kConnect) {
    return Fault{501, "this server is not a proxy: CONNECT is not implemented"};
  }
  auto target = ParseTarget(head_.method, head_.target, decoded_path_);
  if (!target) return target.error();
  Request& request = current_.request;
  request.path = target->path;
  request.query = target->query;
  if (!target->authority.empty()) request.host = target->authority;
  if (!head_.expects_other) return std::nullopt;
  return Fault{417, "the only supported expectation is 100-continue"};
}

// The proxy is no client: what a client has under way through it counts as its connections would.
void Connection::AdmitClient(std::optional<Response>& answer) {
  if (!peer_.is_proxy || current_.request.remote == peer_.address) return;
  auto permit = engine_.limits.Admit(current_.request.remote, Counted::kByAddress);
  if (permit) {
    client_.emplace(*std::move(permit));
    return;
  }
  answer = ErrorResponse(429, "too many requests from this address are running; wait for them");
  answer->fields.emplace_back("Retry-After", "1");
  answer->limit = "limits.connections_per_address";
}

void Connection::FindRoute(std::optional<Response>& answer) {
  const Request& request = current_.request;
  Router::Match& match = current_.match;
  match = engine_.router.FindRoute(request.method, request.path);
  if (match.route != nullptr) return;
  bool nobody_has_it = request.method == Method::kOther || request.method == Method::kTrace;
  if (match.allow.empty() && (nobody_has_it || request.path == "*")) {
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
  answer->fields.emplace_back("Allow", match.allow);
}

void Connection::CheckBody(std::optional<Response>& answer) {
  std::uint64_t limit = current_.match.route->max_body;
  body_->set_limit(limit, current_.match.route->max_body_name);
  bool too_large = head_.content_length.value_or(0) > limit || (head_.chunked && limit == 0);
  if (!too_large) return;
  std::string message = TooLargeMessage(limit);
  answer = FaultResponse(Fault{413, message, current_.match.route->max_body_name});
}

// Reports a request that Stop() cuts during its response and that therefore leaves by an exception.
struct Connection::Unreported {
  Connection& connection;
  bool over = false;

  void Report() {
    over = true;
    connection.Report();
  }
  ~Unreported() {
    if (over || !connection.cut_) return;
    connection.current_.cut_off = true;
    connection.Report();
  }
};

// Most answers are at hand and small: they need no coroutine. False: this one does.
bool Connection::AnswerAtOnce(const std::optional<Response>& response) {
  if (!response || !IsSmall(*response)) return false;
  DecidePersistence();
  AnswerPlan plan;
  if (!AppendWhole(*response, plan)) return false;  // and appended nothing
  current_.cut_off = cut_;
  client_.reset();
  Report();
  return true;
}

Awaitable<bool> Connection::AnswerNext(std::optional<Response> response) {
  Unreported unreported{*this};
  if (!response) {
    // Answers before this one must not wait for a body that the client may send only after them.
    if (!body_->finished() && !out_.empty()) co_await Flush();
    Exchange exchange{current_.request, current_.match.parameters, *body_};
    exchange.client = transport_.descriptor();
    try {
      response = co_await CallHandler(exchange);
      TakeOver(exchange);
    } catch (const std::exception& error) {
      if (cut_) throw;  // the client is gone
      response = InternalError(error.what());
    }
    if (body_->failure()) AnswerForBody(response);
  }
  DecidePersistence();
  AnswerPlan plan;
  bool sent = AppendWhole(*response, plan);
  if (!sent) sent = co_await SendAnswer(*response, plan);
  response.reset();
  current_.held.reset();
  current_.cut_off = !sent || cut_;
  client_.reset();
  unreported.Report();
  if (IsReadyForNext()) co_return true;
  co_return co_await FinishRequest();
}

// A handler whose request is traced runs as a coroutine of its own, since a trace belongs to the
// executor. Afterwards this connection goes on from the loop, outside that trace.
Awaitable<Response> Connection::CallHandler(Exchange& exchange) {
  const auto& handler = current_.match.route->handler;
  if (!current_.trace) co_return co_await handler(exchange);
  const LoopExecutor executor = transport_.executor();
  const asio::any_io_executor traced = TracedExecutor(executor, current_.trace);
  Awaitable<Response> answer = handler(exchange);
  Response response = co_await asio::co_spawn(traced, std::move(answer), asio::use_awaitable);
  co_await asio::post(executor, asio::use_awaitable);
  co_return response;
}

// A body that could not be read decides the answer.
void Connection::AnswerForBody(std::optional<Response>& response) {
  const Error& failure = *body_->failure();
  response = FaultResponse(Fault{StatusOf(failure.kind), failure.message, failure.limit});
}

void Connection::DecidePersistence() {
  if (!body_->nearly_finished()) {
    current_.keep_alive = false;
    current_.linger = true;
  }
  if (draining_) current_.keep_alive = false;
}

// Whether the next request can be looked at without further ado.
bool Connection::IsReadyForNext() {
  bool more_to_do = !current_.keep_alive || !body_->finished() || out_.size() >= kBatch;
  if (current_.cut_off || more_to_do) return false;
  body_->GiveBack();
  return true;
}

// Leaves the connection where the next request begins. False: there will be none.
Awaitable<bool> Connection::FinishRequest() {
  if (current_.cut_off) {
    transport_.Abort();
    co_return false;
  }
  bool sent = co_await Flush();
  if (!sent || !current_.keep_alive) co_return false;
  if (!body_->finished()) {
    bool drained = co_await body_->Drain();
    current_.linger = !drained;
    if (!drained) co_return false;
  }
  body_->GiveBack();
  co_return true;
}

bool Connection::WasSentWhole() const {
  const bool whole = current_.status == 200 || current_.status == 204 || current_.status == 302;
  return whole && head_.method == Method::kGet && !current_.cut_off;
}

void Connection::Report() {
  if (current_.meter) current_.meter->fetch_add(current_.sent - current_.answer_head);
  if (current_.tally && WasSentWhole()) current_.tally->fetch_add(1);
  const Request& request = current_.request;
  RequestRecord record;
  record.method = request.method_text;
  record.path = request.path;
  if (current_.match.route != nullptr) record.route = current_.match.route->pattern;
  record.remote = request.remote;
  record.request_id = request.request_id;
  if (!head_.traceparent.empty()) record.trace_id = TraceIdOf(head_.traceparent);
  record.user_agent = head_.user_agent;
  record.detail = current_.detail;
  record.limit = current_.limit;
  record.status = current_.status;
  record.bytes_received = current_.head_size + body_->received();
  record.bytes_sent = current_.sent;
  record.duration = Clock::now() - current_.started;
  record.cut_off = current_.cut_off;
  engine_.observer.OnRequest(record);
  if (current_.trace && current_.trace->sampled()) ReportSpan(record);
}

void Connection::ReportSpan(const RequestRecord& record) const {
  const std::string_view named = record.route.empty() ? "(no route)" : record.route;
  Span span = current_.trace->RequestSpan(fmt::format("{} {}", record.method, named),
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

}  // namespace koya::http
