#include "http/server/connection.h"

#include <utility>

#include "http/server/http2_connection.h"
#include "http/server/request_words.h"

namespace koya::http {

namespace {

constexpr std::size_t kBatch = 64 * 1024;  // answers gathered before they are sent in any case
constexpr LoopTime kLingerMost = 10'000;
// Limits on the time to wait for the rest of a head that is too long, and on the bytes examined.
constexpr LoopTime kReadOnMost = 250;
constexpr std::size_t kReadOnBytes = 64 * 1024;

}  // namespace

Connection::Connection(LoopContext& loop, Socket socket, std::unique_ptr<TlsSession> tls, Peer peer)
    : loop_(loop),
      engine_(loop.engine),
      peer_(std::move(peer)),
      transport_(std::move(socket), std::move(tls),
                 {engine_.options.send_stall_timeout.count(), engine_.options.disk,
                  engine_.options.is_in_memory}),
      exchange_(loop) {}

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
  bool linger = linger_ || !input_.unread().empty();
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
  exchange_.Cut();
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
  // Looked at once: a head that arrives byte by byte is scanned.
  if (fields_ && scanner_.is_new()) {
    head_size_ = fields_->FindHead(unread);
    repeats_fields_ = head_size_ > 0 && head_size_ <= most;
    if (repeats_fields_) return Received::kHead;
  }
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
  if (!complete) return std::nullopt;
  head_size_ = size;
  return Received::kHead;
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

std::optional<Fault> Connection::ParseNextHead() {
  constexpr unsigned char kMostUnlike = 4;  // then the client is one that does not repeat itself
  const std::string_view bytes = input_.unread().substr(0, head_size_);
  RequestHead& head = exchange_.head;
  if (std::exchange(repeats_fields_, false)) {
    unlike_heads_ = 0;
    return fields_->ParseHead(bytes, head);
  }
  if (std::optional<Fault> fault = ParseHead(bytes, head)) return fault;
  if (head.is_http_10 || unlike_heads_ == kMostUnlike) return std::nullopt;
  ++unlike_heads_;
  fields_ = loop_.parsed_fields.Share(bytes.substr(bytes.find('\n') + 1));
  return std::nullopt;
}

// Parses the head that was found and consumes it.
std::optional<Fault> Connection::TakeHead(Received received) {
  std::optional<Fault> fault = fault_;
  if (received == Received::kFault) {
    exchange_.head = RequestHead();
    if (overlong_) overlong_->Describe(exchange_.head);
  } else {
    exchange_.counts().head = head_size_;
    fault = ParseNextHead();
    input_.Consume(head_size_);
  }
  scanner_.Reset();
  skipped_blank_line_ = false;
  header_deadline_ = kNever;
  return fault;
}

// The answer that is at hand; nullopt: the route's handler makes one.
std::optional<Response> Connection::BeginRequest(Received received) {
  exchange_.Begin();
  std::optional<Fault> fault = TakeHead(received);
  keep_alive_ = exchange_.head.keep_alive;
  cut_off_ = linger_ = false;
  body_.emplace(BodyPath{transport_, input_, exchange_.head}, engine_.options);
  const RequestSource source{peer_.address, peer_.is_proxy, transport_.secure()};
  if (auto refusal = exchange_.Prepare(source, fault, *body_)) return refusal;
  return exchange_.AskReadyAnswer();
}

// Reports a request that Stop() cuts during its response and that therefore leaves by an exception.
struct Connection::Unreported {
  Connection& connection;
  bool over = false;

  void Report() {
    over = true;
    connection.exchange_.Report(*connection.body_, connection.cut_off_, false);
  }
  ~Unreported() {
    if (over || !connection.exchange_.is_cut()) return;
    connection.cut_off_ = true;
    Report();
  }
};

// Most answers are at hand and small: they need no coroutine. False: this one does.
bool Connection::AnswerAtOnce(const std::optional<Response>& response) {
  if (!response || !IsSmall(*response)) return false;
  DecidePersistence();
  AnswerPlan plan;
  if (!AppendWhole(*response, plan)) return false;  // and appended nothing
  cut_off_ = exchange_.is_cut();
  exchange_.Release();
  exchange_.Report(*body_, cut_off_, false);
  return true;
}

Awaitable<bool> Connection::AnswerNext(std::optional<Response> response) {
  Unreported unreported{*this};
  if (!response) {
    // Answers before this one must not wait for a body that the client may send only after them.
    if (!body_->finished() && !out_.empty()) co_await Flush();
    ClientLink client{transport_.descriptor()};
    response = co_await exchange_.CallHandler(*body_, transport_.executor(), std::move(client));
  }
  DecidePersistence();
  AnswerPlan plan;
  bool sent = AppendWhole(*response, plan);
  if (!sent) sent = co_await SendAnswer(*response, plan);
  response.reset();
  cut_off_ = !sent || exchange_.is_cut();
  exchange_.Release();
  unreported.Report();
  if (IsReadyForNext()) co_return true;
  co_return co_await FinishRequest();
}

void Connection::DecidePersistence() {
  if (exchange_.faulted() || !body_->nearly_finished()) {
    keep_alive_ = false;
    linger_ = true;
  }
  if (draining_) keep_alive_ = false;
}

// Whether the next request can be looked at without further ado.
bool Connection::IsReadyForNext() {
  bool more_to_do = !keep_alive_ || !body_->finished() || out_.size() >= kBatch;
  if (cut_off_ || more_to_do) return false;
  body_->GiveBack();
  return true;
}

// Leaves the connection where the next request begins. False: there will be none.
Awaitable<bool> Connection::FinishRequest() {
  if (cut_off_) {
    transport_.Abort();
    co_return false;
  }
  bool sent = co_await Flush();
  if (!sent || !keep_alive_) co_return false;
  if (!body_->finished()) {
    bool drained = co_await body_->Drain();
    linger_ = !drained;
    if (!drained) co_return false;
  }
  body_->GiveBack();
  co_return true;
}

}  // namespace koya::http
