// Starting and stopping.
#include <fstream>
#include <thread>

#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

using End = RawClient::End;
using std::chrono::milliseconds;

constexpr std::string_view kGetWhileStopping = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kWait = "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n";

TEST_P(ServerTest, StopEndsIdleConnectionsAndFinishesTheRest) {
  Start({.threads = 1});  // several loops stop listening one after the other
  auto idle = Connect();
  idle->Send(kGetWhileStopping);
  EXPECT_TRUE(idle->ReadAnswer());
  auto busy = Connect();
  busy->Send(std::string(kWait) + std::string(kGetWhileStopping));
  routes_.WaitForWaiting(1);
  std::thread stopping([&] { server_->Stop(); });
  EXPECT_EQ(idle->WaitForEnd(), End::kOrderly);
  EXPECT_FALSE(RawClient(server_->port(), ClientOptions()).connected());
  routes_.released = true;
  auto answer = busy->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "released");
  EXPECT_EQ(answer->Get("connection"), "close");
  EXPECT_FALSE(busy->ReadAnswer());
  stopping.join();
}

TEST_P(ServerTest, StopCutsWhatDoesNotFinish) {
  Start({.drain_deadline = milliseconds(300)});
  auto busy = Connect();
  busy->Send(kWait);
  routes_.WaitForWaiting(1);
  auto sending = Connect();
  sending->Send(
      "PUT /upload HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n");
  EXPECT_TRUE(sending->ReadAnswer());  // 100 Continue: its body is being waited for
  sending->Send("abc");
  auto start = std::chrono::steady_clock::now();
  server_->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_FALSE(busy->ReadAnswer());
  EXPECT_FALSE(sending->ReadAnswer());
  // Both are reported, as cut off.
  for (const auto& seen : observer_.WaitForRequests(2)) EXPECT_TRUE(seen.cut_off) << seen.path;
}

TEST_P(ServerTest, StopsUnderLoad) {
  Start({.drain_deadline = milliseconds(1000)});
  std::atomic<bool> stopping = false;
  std::atomic<std::size_t> answered = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      while (!stopping) {
        RawClient client(server_->port(), ClientOptions());
        while (client.connected() && client.Send(kGetWhileStopping) && client.ReadAnswer())
          ++answered;
      }
    });
  }
  observer_.WaitForRequests(200);
  server_->Stop();
  stopping = true;
  for (std::thread& client : clients) client.join();
  EXPECT_GE(answered, 100u);
  EXPECT_TRUE(observer_.internal_errors().empty());
}

TEST_P(ServerTest, DestructionStops) {
  Start();
  auto busy = Connect();
  busy->Send(kWait);
  routes_.WaitForWaiting(1);
  server_.reset();
  EXPECT_FALSE(busy->ReadAnswer());
}

TEST_P(ServerTest, SaysWhyItCannotStart) {
  Start();
  auto start = [&](ServerOptions options) {
    Server server(std::move(options), router_, observer_, RefusalText);
    Status status = server.Start();
    EXPECT_FALSE(status);
    return status ? Error() : status.error();
  };
  std::string taken = "127.0.0.1:" + std::to_string(server_->port());
  Error in_use = start({.listen = taken});
  EXPECT_EQ(in_use.kind, ErrorKind::kUnavailable);
  EXPECT_NE(in_use.message.find(taken), std::string::npos);
  for (std::string_view listen :
       {"", "8443", ":8443", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
        "127.0.0.1:-1", "::1:0", "[]:0", "192.0.2.1:0"}) {
    EXPECT_EQ(start({.listen = std::string(listen)}).kind, ErrorKind::kInvalid) << listen;
  }
  EXPECT_EQ(start({.listen = "127.0.0.1:0", .trusted_proxies = {"10.0.0.0/99"}}).kind,
            ErrorKind::kInvalid);
}

TEST_P(ServerTest, SaysWhatIsWrongWithTlsFiles) {
  WriteTestCertificate((folder_ / "a.pem"), (folder_ / "a-key.pem"), "a");
  WriteTestCertificate((folder_ / "b.pem"), (folder_ / "b-key.pem"), "b");
  std::ofstream(folder_ / "empty.pem") << "";
  struct Case {
    std::string certificate, key, named;
  };
  const Case kCases[] = {
      {"missing.pem", "a-key.pem", "missing.pem"}, {"empty.pem", "a-key.pem", "empty.pem"},
      {"a.pem", "missing.pem", "missing.pem"},     {"a.pem", "a.pem", "a.pem"},
      {"a.pem", "b-key.pem", "b-key.pem"},
  };
  for (const Case& c : kCases) {
    ServerOptions options{.listen = "127.0.0.1:0"};
    options.tls = TlsOptions{(folder_ / c.certificate), (folder_ / c.key)};
    Server server(options, router_, observer_, RefusalText);
    Status status = server.Start();
    ASSERT_FALSE(status) << c.certificate << " " << c.key;
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(status.error().message.find(c.named), std::string::npos) << status.error().message;
  }
}

}  // namespace
}  // namespace koya::http
