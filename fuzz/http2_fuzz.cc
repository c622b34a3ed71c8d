// HTTP/2 connections: frames and HPACK, through the real session over a socket.
//
// Whatever a client sends: the server writes well-formed frames, runs no more requests than it
// announced, reports each request once, and ends once the client has.
//
// The first byte of an input says how it is sent. Frames are records of four bytes (type, flags,
// stream, size of the payload) and the payload; or all is sent as it is.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/address_range.h"
#include "http/server/engine.h"
#include "http/server/http2_connection.h"
#include "http/server/transport.h"

namespace {

using namespace koya;
using namespace koya::http;
namespace asio = boost::asio;

constexpr unsigned kRaw = 1;     // all is sent as it is, without a preface before it
constexpr unsigned kProxy = 2;   // by a trusted proxy
constexpr unsigned kExpire = 4;  // time passes between the pieces
constexpr unsigned kDrain = 8;   // the server stops halfway
constexpr unsigned kCut = 16;    // and gives no time
constexpr std::size_t kPiece = 32;
constexpr std::string_view kClientAddress = "198.51.100.1";
constexpr std::string_view kProxyAddress = "192.0.2.1";
constexpr int kMostTurns = 10'000;

void Require(bool held) {
  if (!held) std::abort();
}

class Reports final : public Observer {
 public:
  void OnRequest(const RequestRecord& record) override {
    Require(!record.request_id.empty() && record.http2);
    Require(record.cut_off || record.status >= 200);
    ++count;
  }
  void OnInternalError(std::string_view, std::string_view) override { std::abort(); }
  std::size_t count = 0;
};

Awaitable<Response> TakeBody(Exchange& exchange) {
  std::size_t size = 0;
  while (true) {
    auto piece = co_await exchange.body.Read();
    if (!piece || piece->empty()) break;
    size += piece->size();
    Require(size <= 1000);
  }
  Response response;
  response.body = std::to_string(size);
  co_return response;
}

// Goes through the loop a few times, and stops if the client has left.
Awaitable<Response> TakeTurns(Exchange& exchange) {
  const auto executor = co_await asio::this_coro::executor;
  for (int i = 0; i < 3 && !HasLeft(exchange.client); ++i) {
    co_await asio::post(executor, asio::use_awaitable);
  }
  co_return Response::Json(200, std::string(100'000, 'x'));
}

std::optional<Response> SendDocument(Exchange&) {
  static const auto document = MakeDocument(std::string(2000, 'x'), DocumentOptions{});
  return Response::FromDocument(document);
}

std::vector<RouteSpec> Routes() {
  using enum Method;
  return {{kGet, "/", 0, TakeTurns},
          {kGet, "/d", 0, TakeTurns, SendDocument},
          {kPut, "/{name}", 1000, TakeBody}};
}

Response Refuse(const EngineError& error) {
  return Response::Json(error.status, std::string(error.message));
}

// What the server writes, frame by frame.
class FrameCheck {
 public:
  void AcceptBytes(std::string_view bytes) {
    constexpr std::size_t kHead = 9;
    bytes_.append(bytes);
    while (bytes_.size() >= kHead) {
      auto at = [&](std::size_t i) { return std::size_t{static_cast<std::uint8_t>(bytes_[i])}; };
      const std::size_t size = at(0) << 16 | at(1) << 8 | at(2);
      const bool has_stream = (at(5) & 0x7f) != 0 || at(6) != 0 || at(7) != 0 || at(8) != 0;
      Require(size <= 16'384 && at(3) <= NGHTTP2_CONTINUATION);
      if (at(3) == NGHTTP2_DATA || at(3) == NGHTTP2_HEADERS) Require(has_stream && at(8) % 2 == 1);
      if (at(3) == NGHTTP2_SETTINGS || at(3) == NGHTTP2_GOAWAY) Require(!has_stream);
      if (bytes_.size() < kHead + size) return;
      bytes_.erase(0, kHead + size);
    }
  }

 private:
  std::string bytes_;
};

std::string AsFrames(std::string_view records) {
  std::string frames = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string("\0\0\0\4\0\0\0\0\0", 9);
  while (records.size() >= 4) {
    const std::string_view head = records.substr(0, 4);
    const std::string_view payload = records.substr(4, static_cast<std::uint8_t>(head[3]));
    records.remove_prefix(4 + payload.size());
    frames.append("\0\0", 2).push_back(static_cast<char>(payload.size()));
    frames.append(head.substr(0, 2)).append("\0\0\0", 3).push_back(head[2]);
    frames.append(payload);
  }
  return frames;
}

// A client and a connection of the server, each at its end of a socket.
class Pair {
 public:
  Pair(LoopContext& context, bool is_proxy) {
    std::array<int, 2> ends{};
    Require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    client_ = ends[0];
    Socket socket(loop_.get_executor());
    socket.assign(asio::ip::tcp::v4(), ends[1]);
    transport_ = std::make_unique<Transport>(std::move(socket), nullptr, TransportOptions{1000});
    connection_ = std::make_unique<Http2Connection>(
        context, *transport_, is_proxy ? kProxyAddress : kClientAddress, is_proxy);
    asio::co_spawn(loop_, connection_->Serve(), [this](const std::exception_ptr& failure) {
      Require(!failure || cut_);
      ended_ = true;
    });
  }
  ~Pair() { close(client_); }

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      Turn();
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  // As the ticker and Stop() do, on the loop.
  void Expire() {
    asio::post(loop_, [this] { connection_->Expire(LoopNow() + 300); });
    Turn();
  }
  void Drain() {
    asio::post(loop_, [this] { connection_->Drain(); });
    Turn();
  }
  void Cut() {
    asio::post(loop_, [this] {
      cut_ = true;
      transport_->Abort();
      connection_->Cut();
    });
    Turn();
  }
  void End() {
    shutdown(client_, SHUT_WR);
    for (int i = 0; i < kMostTurns && !ended_; ++i) Turn();
    Require(ended_ && connection_->stream_count() == 0);
  }

 private:
  // The server goes on as far as it can; the client reads everything.
  void Turn() {
    loop_.poll();
    std::array<char, 64 * 1024> bytes;
    for (ssize_t got = 0; (got = recv(client_, bytes.data(), bytes.size(), 0)) > 0;) {
      check_.AcceptBytes({bytes.data(), static_cast<std::size_t>(got)});
      loop_.poll();
    }
    Require(ended_ || connection_->stream_count() <= Http2Connection::kMostStreams);
  }

  asio::io_context loop_{1};
  int client_ = -1;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Http2Connection> connection_;
  FrameCheck check_;
  bool cut_ = false;
  bool ended_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Router router(Routes());
  static Reports reports;
  static Engine engine({.max_header_bytes = 1024, .max_connections_per_address = 10}, router,
                       reports, Refuse);
  static LoopContext context(engine);
  if (engine.trusted_proxies.empty()) {
    engine.trusted_proxies.push_back(*AddressRange::Parse(kProxyAddress));
  }
  if (size == 0) return 0;
  const unsigned mode = data[0];
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string bytes = (mode & kRaw) != 0 ? std::string(input) : AsFrames(input);
  const std::size_t piece = std::max<std::size_t>(mode / kPiece * 20, mode < kPiece ? 1 << 20 : 1);
  Pair pair(context, (mode & kProxy) != 0);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    pair.Send(std::string_view(bytes).substr(at, piece));
    if ((mode & kExpire) != 0) pair.Expire();
    if ((mode & kDrain) != 0 && at > bytes.size() / 2) pair.Drain();
  }
  if ((mode & kCut) != 0) pair.Cut();
  pair.End();
  return 0;
}
