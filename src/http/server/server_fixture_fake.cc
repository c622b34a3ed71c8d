#include "http/server/server_fixture_fake.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cctype>
#include <chrono>
#include <fstream>
#include <stdexcept>

#include "base/file.h"

namespace koya::http {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::seconds kFixtureTimeout{15};

Response Text(unsigned status, std::string text) {
  Response response;
  response.status = status;
  response.fields.emplace_back("Content-Type", "text/plain");
  response.body = std::move(text);
  return response;
}

std::string Letters(std::size_t count) {
  std::string text(count, ' ');
  for (std::size_t i = 0; i < count; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 251) % 26);
  return text;
}

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Yields `pieces`, then the end or a failure.
class ScriptedSource final : public ByteSource {
 public:
  ScriptedSource(std::vector<std::string> pieces, bool fails)
      : pieces_(std::move(pieces)), fails_(fails) {}
  Task<std::span<const std::byte>> Read() override {
    if (next_ < pieces_.size()) co_return AsBytes(pieces_[next_++]);
    if (fails_) co_return FailUnavailable("the source failed");
    co_return std::span<const std::byte>();
  }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
  bool fails_;
};

Response Stream(std::vector<std::string> pieces, bool fails) {
  Response response;
  response.body = std::make_unique<ScriptedSource>(std::move(pieces), fails);
  return response;
}

Awaitable<Response> Echo(Exchange& exchange) {
  const Request& request = exchange.request;
  std::string text =
      std::string(request.method_text) + " path=" + std::string(request.path) +
      " query=" + std::string(request.query) + " host=" + std::string(request.host) +
      " remote=" + std::string(request.remote) + " id=" + std::string(request.request_id) +
      " secure=" + (request.secure ? "yes" : "no") + " name=" + std::string(exchange.parameters[0]);
  co_return Text(200, std::move(text));
}

// Answers with the size and a checksum of what arrived.
Awaitable<Response> Upload(Exchange& exchange) {
  std::uint64_t size = 0;
  std::uint64_t sum = 0;
  for (;;) {
    auto piece = co_await exchange.body.Read();
    if (!piece) co_return Text(418, "the engine answers in place of this");
    if (piece->empty()) break;
    size += piece->size();
    for (std::byte b : *piece) sum = sum * 31 + std::to_integer<unsigned>(b);
  }
  co_return Text(201, std::to_string(size) + " " + std::to_string(sum));
}

Awaitable<Response> Ignore(Exchange&) { co_return Text(403, "not read"); }

Awaitable<Response> Throw(Exchange&) {
  throw std::runtime_error("a bug");
  co_return Response();
}

Awaitable<Response> Inject(Exchange&) {
  Response response = Text(200, "x");
  response.fields.emplace_back("X-Word", "one\r\nX-Evil: two");
  co_return response;
}

Awaitable<Response> NoContent(Exchange&) {
  Response response;
  response.status = 204;
  response.fields.emplace_back("X-Terraform-Get", "https://example.com/a.tgz");
  co_return response;
}

// Lets a file be sent up to one step after the other; then it is whole, or never will be.
class SteppedGrowth final : public FileGrowth {
 public:
  SteppedGrowth(std::vector<std::uint64_t> steps, bool fails)
      : steps_(std::move(steps)), fails_(fails) {}
  bool parts_wait() const override { return true; }
  Task<std::uint64_t> WaitBeyond(std::uint64_t offset) override {
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(1));
    co_await timer.async_wait(asio::use_awaitable);
    for (std::uint64_t step : steps_) {
      if (step > offset) co_return step;
    }
    if (!fails_) co_return FailInternal("asked beyond the end");
    co_return FailBadUpstream("the bytes were not those announced");
  }

 private:
  std::vector<std::uint64_t> steps_;
  bool fails_;
};

// Takes the first of some requests of HTTP/1.1.
Http2Request TakeRequest(std::string_view& requests) {
  auto take = [&requests](std::string_view end) {
    const std::size_t size = requests.find(end);
    if (size == requests.npos) throw std::logic_error("not a complete request");
    const std::string_view taken = requests.substr(0, size);
    requests.remove_prefix(size + end.size());
    return std::string(taken);
  };
  Http2Request request{.method = take(" "), .path = take(" ")};
  take("\r\n");
  std::optional<std::size_t> body_size;
  while (!requests.starts_with("\r\n")) {
    std::string name = take(": ");
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string value = take("\r\n");
    if (name == "content-length") body_size = std::stoul(value);
    request.fields.emplace_back(std::move(name), std::move(value));
  }
  requests.remove_prefix(2);
  if (body_size) {
    request.body = requests.substr(0, *body_size);
    requests.remove_prefix(*body_size);
  }
  return request;
}

Awaitable<Response> Hello(Exchange&) { co_return Text(200, "hello"); }

}  // namespace

void RecordingObserver::OnRequest(const RequestRecord& r) {
  std::lock_guard lock(mutex_);
  requests_.push_back({std::string(r.method), std::string(r.path), std::string(r.route),
                       std::string(r.remote), std::string(r.request_id), std::string(r.trace_id),
                       std::string(r.user_agent), std::string(r.detail),
                       std::string(r.limit.text()), r.status, r.bytes_received, r.bytes_sent,
                       r.cut_off});
  changed_.notify_all();
}
void RecordingObserver::OnConnectionOpened() {
  std::lock_guard lock(mutex_);
  ++open_;
  changed_.notify_all();
}
void RecordingObserver::OnConnectionClosed() {
  std::lock_guard lock(mutex_);
  --open_;
  changed_.notify_all();
}
void RecordingObserver::OnConnectionRefused(std::string_view reason) {
  std::lock_guard lock(mutex_);
  refusals_.emplace_back(reason);
  changed_.notify_all();
}
void RecordingObserver::OnTlsReloaded(const Status& outcome) {
  std::lock_guard lock(mutex_);
  reloads_.push_back(outcome);
  changed_.notify_all();
}
void RecordingObserver::OnInternalError(std::string_view, std::string_view what) {
  std::lock_guard lock(mutex_);
  internal_errors_.emplace_back(what);
}

// The caller holds no lock; `reached` is asked under it.
void RecordingObserver::WaitUntil(const std::function<bool()>& reached) {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(changed_.wait_for(lock, kFixtureTimeout, reached))
      << "the server did not report in time";
}
std::vector<RecordingObserver::Seen> RecordingObserver::WaitForRequests(std::size_t count) {
  WaitUntil([&] { return requests_.size() >= count; });
  std::lock_guard lock(mutex_);
  std::vector<Seen> seen = requests_;
  seen.resize(std::max(count, seen.size()));
  return seen;
}
std::vector<std::string> RecordingObserver::WaitForRefusals(std::size_t count) {
  WaitUntil([&] { return refusals_.size() >= count; });
  std::lock_guard lock(mutex_);
  return refusals_;
}
std::vector<Status> RecordingObserver::WaitForReloads(std::size_t count) {
  WaitUntil([&] { return reloads_.size() >= count; });
  std::lock_guard lock(mutex_);
  return reloads_;
}
void RecordingObserver::WaitForOpen(std::size_t count) {
  WaitUntil([&] { return open_ == count; });
}
std::size_t RecordingObserver::request_count() {
  std::lock_guard lock(mutex_);
  return requests_.size();
}
std::vector<std::string> RecordingObserver::internal_errors() {
  std::lock_guard lock(mutex_);
  return internal_errors_;
}

TestRoutes::TestRoutes(const TempFolder& folder) : file_bytes(Letters(300'000)) {
  std::ofstream((folder / "file"), std::ios::binary) << file_bytes;
  auto file = std::make_shared<UniqueFd>(open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC));
  file_ = FileBody{file, file->get(), file_bytes.size()};
  document = MakeDocument("{\"versions\":[" + std::string(1400, '1') + "]}", DocumentOptions{});
  large_document = MakeDocument(Letters(250'000), DocumentOptions{});
}

Awaitable<Response> TestRoutes::SendFile(Exchange&) {
  Response response;
  response.fields.emplace_back("Content-Type", "application/zip");
  response.etag = "\"v1\"";
  response.body = file_;
  co_return response;
}

Awaitable<Response> TestRoutes::SendGrowing(std::vector<std::uint64_t> steps, bool fails) {
  Response response;
  response.etag = "\"v1\"";
  FileBody file = file_;
  file.growth = std::make_shared<SteppedGrowth>(std::move(steps), fails);
  response.body = std::move(file);
  co_return response;
}

// Signals that it has begun, then waits until the test releases it.
Awaitable<Response> TestRoutes::Wait(Exchange&) {
  {
    std::lock_guard lock(mutex_);
    ++waiting_;
    waiting_changed_.notify_all();
  }
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (!released) {
    timer.expires_after(std::chrono::milliseconds(5));
    co_await timer.async_wait(asio::use_awaitable);
  }
  co_return Text(200, "released");
}

Awaitable<Response> TestRoutes::UploadWhenReleased(Exchange& exchange) {
  Response waited = co_await Wait(exchange);
  co_return co_await Upload(exchange);
}

Awaitable<Response> TestRoutes::WaitUntilLeft(Exchange& exchange) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (!HasLeft(exchange.client)) {
    if (released) co_return Text(200, "still there");
    timer.expires_after(std::chrono::milliseconds(5));
    co_await timer.async_wait(asio::use_awaitable);
  }
  client_left = true;
  co_return Text(200, "left");
}

void TestRoutes::WaitForWaiting(std::size_t count) {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(waiting_changed_.wait_for(lock, kFixtureTimeout, [&] { return waiting_ >= count; }));
}

std::vector<RouteSpec> TestRoutes::Table() {
  using enum Method;
  auto reply_with = [](std::shared_ptr<const Document> made) {
    return [made](Exchange&) { return ReplyWith(made); };
  };
  auto stream = [](std::vector<std::string> pieces, bool fails, std::optional<std::uint64_t> size) {
    return [=](Exchange&) { return ReplyWithStream(pieces, fails, size); };
  };
  auto growing = [this](std::vector<std::uint64_t> steps, bool fails) {
    return [=, this](Exchange&) { return SendGrowing(steps, fails); };
  };
  std::vector<std::string> pieces{"one ", Letters(100'000), " three"};
  std::vector<RouteSpec> routes{
      {kGet, "/", 0, Hello},
      {kGet, "/doc", 0, reply_with(document)},
      {kGet, "/large-doc", 0, reply_with(large_document)},
      {kGet, "/empty", 0, NoContent},
      {kGet, "/file", 0, [this](Exchange& e) { return SendFile(e); }},
      {kGet, "/growing", 0, growing({1, 100'000, 299'999, 300'000}, false)},
      {kGet, "/growing-fails-at-once", 0, growing({}, true)},
      {kGet, "/growing-fails-late", 0, growing({1, 299'999}, true)},
      {kGet, "/wait", 0, [this](Exchange& e) { return Wait(e); }},
      {kGet, "/until-left", 0, [this](Exchange& e) { return WaitUntilLeft(e); }},
      {kGet, "/huge-doc", 0,
       [](Exchange&) {
         return ReplyWith(MakeDocument(Letters(32'000'000), {.compress = false, .lasting = false}));
       }},
      {kGet, "/echo/{name}", 0, Echo},
      {kPut, "/upload", kUploadLimit, Upload},
      {kPost, "/upload", kUploadLimit, Upload},
      {kPut, "/upload-when-released", 100u << 20,
       [this](Exchange& e) { return UploadWhenReleased(e); }},
      {kPut, "/ignore", 100u << 20, Ignore},
      {kGet, "/throw", 0, Throw},
      {kGet, "/inject", 0, Inject},
      {kGet, "/stream", 0, stream(pieces, false, std::nullopt)},
      {kGet, "/stream-sized", 0, stream(pieces, false, 100'010)},
      {kGet, "/stream-short", 0, stream(pieces, false, 100'011)},
      {kGet, "/stream-long", 0, stream(pieces, false, 100'009)},
      {kGet, "/stream-fails-at-once", 0, stream({}, true, std::nullopt)},
      {kGet, "/stream-fails-late", 0, stream(pieces, true, std::nullopt)},
  };
  for (RouteSpec& route : routes) {
    route.handler = [this, handler = std::move(route.handler)](Exchange& exchange) {
      exchange.meter = meter;
      exchange.tally = tally;
      exchange.held = held;
      return handler(exchange);
    };
  }
  return routes;
}

Awaitable<Response> TestRoutes::ReplyWith(std::shared_ptr<const Document> made) {
  co_return Response::FromDocument(std::move(made));
}

Awaitable<Response> TestRoutes::ReplyWithStream(std::vector<std::string> pieces, bool fails,
                                                std::optional<std::uint64_t> size) {
  Response response = Stream(std::move(pieces), fails);
  response.content_length = size;
  co_return response;
}

// As JSON, or as text for clients that accept only plain text.
Response RefusalText(const EngineError& error) {
  const std::string status = std::to_string(error.status);
  const std::string message(error.message);
  if (error.request.Get("Accept") != "text/plain") {
    return Response::Json(error.status,
                          "{\"status\":" + status + ",\"error\":\"" + message + "\"}");
  }
  Response response;
  response.fields.emplace_back("Content-Type", "text/plain");
  response.body = std::string(error.request.method_text) + " " +
                  std::string(error.target.substr(0, 8)) + " in " +
                  std::string(error.request.Get("Accept-Language")) + ": " + message;
  return response;
}

ServerTest::ServerTest() : routes_(folder_), router_(routes_.Table()) {}
ServerTest::~ServerTest() { routes_.released = true; }

void ServerTest::Start(ServerOptions options) {
  options.listen = "127.0.0.1:0";
  if (options.threads == 0) options.threads = 2;
  if (tls()) {
    options.tls = TlsOptions{(folder_ / "cert.pem"), (folder_ / "key.pem")};
    options.tls->http2 = GetParam() == Wire::kHttp2;
    WriteTestCertificate(options.tls->certificate_file, options.tls->key_file, "first");
  }
  server_ = std::make_unique<Server>(std::move(options), router_, observer_, RefusalText);
  Status started = server_->Start();
  ASSERT_TRUE(started) << started.error().message;
}

RawClient::Options ServerTest::ClientOptions() const {
  RawClient::Options options;
  options.tls = tls();
  return options;
}

std::unique_ptr<RawClient> ServerTest::Connect() const {
  auto client = std::make_unique<RawClient>(server_->port(), ClientOptions());
  EXPECT_TRUE(client->connected());
  return client;
}

std::optional<RawAnswer> ServerTest::Ask(std::string_view request) const {
  return http::Ask(server_->port(), request, tls());
}

AnyClient::AnyClient(std::uint16_t port, Wire wire) {
  if (wire == Wire::kHttp2) {
    http2_ = std::make_unique<Http2Client>(port);
  } else {
    raw_ = std::make_unique<RawClient>(port, RawClient::Options{.tls = wire == Wire::kTls});
    EXPECT_TRUE(raw_->connected());
  }
}

void AnyClient::Send(std::string_view requests) {
  if (raw_) {
    raw_->Send(requests);
    return;
  }
  while (!requests.empty()) unanswered_.push_back(http2_->Send(TakeRequest(requests)));
}

std::optional<RawAnswer> AnyClient::ReadAnswer(bool to_head) {
  if (raw_) return raw_->ReadAnswer(to_head);
  Http2Answer answer = http2_->Finish(unanswered_.front());
  unanswered_.pop_front();
  if (answer.status == 0) return std::nullopt;
  return RawAnswer{.status = answer.status,
                   .fields = std::move(answer.fields),
                   .body = std::move(answer.body),
                   .complete = answer.complete};
}

std::unique_ptr<AnyClient> ProtocolTest::Connect() const {
  return std::make_unique<AnyClient>(server_->port(), GetParam());
}

std::optional<RawAnswer> ProtocolTest::Ask(std::string_view request) const {
  auto client = Connect();
  client->Send(request);
  return client->ReadAnswer(request.starts_with("HEAD "));
}

}  // namespace koya::http
