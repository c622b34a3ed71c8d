// For tests of the engine: a server on a free loopback port, with routes that exercise it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "http/server/http2_client_fake.h"
#include "http/server/raw_client_fake.h"
#include "http/server/server.h"

namespace koya::http {

// Records the calls of the server.
class RecordingObserver final : public Observer {
 public:
  struct Seen {
    std::string method, path, route, remote, request_id, trace_id, user_agent, detail, limit;
    unsigned status = 0;
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
    bool cut_off = false;
  };
  void OnRequest(const RequestRecord& record) override;
  void OnConnectionOpened() override;
  void OnConnectionClosed() override;
  void OnConnectionRefused(std::string_view reason) override;
  void OnTlsReloaded(const Status& outcome) override;
  void OnInternalError(std::string_view request_id, std::string_view what) override;

  // Each waits until there are so many, and fails the test when that takes too long.
  std::vector<Seen> WaitForRequests(std::size_t count);
  std::vector<std::string> WaitForRefusals(std::size_t count);
  std::vector<Status> WaitForReloads(std::size_t count);
  void WaitForOpen(std::size_t count);  // connections open at once, exactly
  std::size_t request_count();
  std::vector<std::string> internal_errors();

 private:
  void WaitUntil(const std::function<bool()>& reached);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Seen> requests_;
  std::vector<std::string> refusals_;
  std::vector<Status> reloads_;
  std::vector<std::string> internal_errors_;
  std::size_t open_ = 0;
};

// What the routes answer with.
class TestRoutes {
 public:
  static constexpr std::uint64_t kUploadLimit = 1u << 20;
  explicit TestRoutes(const TempFolder& folder);

  std::string file_bytes;  // what /file sends
  std::shared_ptr<const Document> document;
  std::shared_ptr<const Document> large_document;
  std::atomic<bool> released = false;  // lets the handlers of /wait go on
  // Of the bodies of all answers that routes gave.
  const std::shared_ptr<std::atomic<std::uint64_t>> meter =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  // Of the answers that were sent whole.
  const std::shared_ptr<std::atomic<std::uint64_t>> tally =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  // Held by every exchange until its answer has been sent.
  const std::shared_ptr<int> held = std::make_shared<int>(0);
  std::atomic<bool> client_left = false;  // as a handler of /until-left sees it
  std::vector<RouteSpec> Table();
  void WaitForWaiting(std::size_t count);  // until so many handlers of /wait have begun

 private:
  static Awaitable<Response> ReplyWith(std::shared_ptr<const Document> made);
  static Awaitable<Response> ReplyWithStream(std::vector<std::string> pieces, bool fails,
                                             std::optional<std::uint64_t> size);
  Awaitable<Response> SendFile(Exchange& exchange);
  Awaitable<Response> SendGrowing(std::vector<std::uint64_t> steps, bool fails);
  Awaitable<Response> Wait(Exchange& exchange);
  Awaitable<Response> UploadWhenReleased(Exchange& exchange);
  Awaitable<Response> WaitUntilLeft(Exchange& exchange);

  FileBody file_;
  std::mutex mutex_;
  std::condition_variable waiting_changed_;
  std::size_t waiting_ = 0;
};

// How the servers of tests refuse: {"status", "error"}, or with Accept: text/plain "METHOD TARGET
// in LANGUAGE: MESSAGE", of the target its first eight bytes.
Response RefusalText(const EngineError& error);

enum class Wire { kPlain, kTls, kHttp2 };  // HTTP/1.1, also over TLS; HTTP/2

// A client over any of them. Requests are written as those of HTTP/1.1.
class AnyClient {
 public:
  AnyClient(std::uint16_t port, Wire wire);
  // Sends complete requests, one after another.
  void Send(std::string_view requests);
  // The response to the oldest request without one; nullopt: the connection or stream ended before
  // it.
  std::optional<RawAnswer> ReadAnswer(bool to_head = false);

 private:
  std::unique_ptr<RawClient> raw_;  // null: HTTP/2
  std::unique_ptr<Http2Client> http2_;
  std::deque<std::int32_t> unanswered_;
};

// Servers of the routes above, over the wire that is the test's parameter.
class ServerTest : public testing::TestWithParam<Wire> {
 protected:
  ServerTest();
  ~ServerTest() override;

  bool tls() const { return GetParam() != Wire::kPlain; }
  // Starts with these options; `listen`, `tls` and, where unset, `threads` are filled in.
  void Start(ServerOptions options = {});
  RawClient::Options ClientOptions() const;  // of HTTP/1.1
  std::unique_ptr<RawClient> Connect() const;
  // Sends `request` over a connection of its own.
  std::optional<RawAnswer> Ask(std::string_view request) const;

  TempFolder folder_;
  TestRoutes routes_;
  Router router_;
  RecordingObserver observer_;
  std::unique_ptr<Server> server_;
};

// Tests that know no protocol.
class ProtocolTest : public ServerTest {
 protected:
  std::unique_ptr<AnyClient> Connect() const;
  std::optional<RawAnswer> Ask(std::string_view request) const;
};

inline std::string WireName(const testing::TestParamInfo<Wire>& info) {
  if (info.param == Wire::kHttp2) return "Http2";
  return info.param == Wire::kTls ? "Tls" : "Plain";
}

}  // namespace koya::http
