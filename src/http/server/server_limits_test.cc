// Deadlines, connection limits and slow or vanishing clients.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

using End = RawClient::End;
using std::chrono::milliseconds;

constexpr std::string_view kGetAny = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

// Sends one byte every 20 ms until the server has decided: the test is about the pace.
void Drip(RawClient& client, RecordingObserver& observer) {
  while (observer.request_count() == 0 && client.Send("x")) {
    std::this_thread::sleep_for(milliseconds(20));
  }
}

TEST_P(ServerTest, GivesAHeaderSoLongHoweverItDrips) {
  Start({.header_deadline = milliseconds(600)});
  auto client = Connect();
  client->Send("GET / HTTP/1.1\r\nX: ");
  Drip(*client, observer_);
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 408u);
  EXPECT_EQ(client->WaitForEnd(), End::kOrderly);
  EXPECT_EQ(observer_.WaitForRequests(1)[0].limit, "timeouts.header");
}

TEST_P(ServerTest, ClosesIdleConnectionsInSilence) {
  Start({.header_deadline = milliseconds(60'000), .idle_timeout = milliseconds(300)});
  auto fresh = Connect();
  EXPECT_EQ(fresh->ReadToEnd(), "");
  auto used = Connect();
  used->Send(kGetAny);
  EXPECT_TRUE(used->ReadAnswer());
  EXPECT_EQ(used->ReadToEnd(), "");
  EXPECT_EQ(used->WaitForEnd(), End::kOrderly);
}

TEST_P(ServerTest, GivesUpOnAStalledBody) {
  Start({.body_stall_timeout = milliseconds(300)});
  for (std::string_view request :
       {"PUT /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc",
        "PUT /upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"}) {
    auto client = Connect();
    client->Send(request);
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer) << request;
    EXPECT_EQ(answer->status, 408u);
    EXPECT_EQ(answer->Get("connection"), "close");
    EXPECT_EQ(client->WaitForEnd(), End::kOrderly);
  }
  for (const auto& seen : observer_.WaitForRequests(2)) {
    EXPECT_EQ(seen.limit, "timeouts.body_stall");
  }
}

TEST_P(ServerTest, GivesUpOnABodySlowerThanTheLeastRate) {
  Start({.body_stall_timeout = milliseconds(500), .min_body_rate = 1'000'000});
  auto client = Connect();
  client->Send("PUT /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
  Drip(*client, observer_);  // never stalls, but stays far below a megabyte a second
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 408u);
  EXPECT_EQ(observer_.WaitForRequests(1)[0].limit, "fixed.body_rate");
}

TEST_P(ServerTest, HoldsWhatAnAnswerStandsOnUntilItIsSent) {
  Start();
  const long before = routes_.held.use_count();
  EXPECT_TRUE(Ask(kGetAny));
  observer_.WaitForRequests(1);
  EXPECT_EQ(routes_.held.use_count(), before);
  auto slow = Connect();
  slow->Send("GET /huge-doc HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(slow->ReadAnswer(true));
  EXPECT_EQ(routes_.held.use_count(), before + 1) << "most of it waits to be sent";
  slow.reset();
  observer_.WaitForRequests(2);
  EXPECT_EQ(routes_.held.use_count(), before);
}

TEST_P(ProtocolTest, HandlersKnowWhetherTheirClientIsThere) {
  Start();
  constexpr std::string_view kAsk = "GET /until-left HTTP/1.1\r\nHost: h\r\n\r\n";
  auto leaving = Connect();
  leaving->Send(kAsk);
  leaving.reset();
  observer_.WaitForRequests(1);
  EXPECT_TRUE(routes_.client_left);
  routes_.released = true;
  auto answer = Ask(kAsk);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "still there");
}

TEST_P(ServerTest, CutsOffAClientThatReadsNothing) {
  Start({.send_stall_timeout = milliseconds(300)});
  RawClient::Options options = ClientOptions();
  options.receive_buffer = 4096;
  RawClient client(server_->port(), options);
  std::string batch;
  for (int i = 0; i < 60; ++i) batch += "GET /large-doc HTTP/1.1\r\nHost: h\r\n\r\n";
  client.Send(batch);
  observer_.WaitForOpen(1);
  observer_.WaitForOpen(0);
  auto seen = observer_.WaitForRequests(1);
  EXPECT_TRUE(seen.back().cut_off);
}

TEST_P(ServerTest, LimitsConnectionsByAddress) {
  Start({.max_connections_per_address = 2});
  auto first = Connect();
  auto second = Connect();
  observer_.WaitForOpen(2);
  RawClient third(server_->port(), ClientOptions());
  EXPECT_EQ(third.ReadToEnd(), "");
  EXPECT_EQ(observer_.WaitForRefusals(1).front(), "connections_per_address");
  RawClient::Options elsewhere = ClientOptions();
  elsewhere.source = "127.0.0.2";
  RawClient other(server_->port(), elsewhere);
  other.Send(kGetAny);
  EXPECT_TRUE(other.ReadAnswer());
  first.reset();
  observer_.WaitForOpen(2);
  auto fourth = Connect();
  fourth->Send(kGetAny);
  EXPECT_TRUE(fourth->ReadAnswer());
}

std::string Behind(std::string_view client, std::string_view path) {
  return "GET " + std::string(path) +
         " HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: " + std::string(client) + "\r\n\r\n";
}

TEST_P(ProtocolTest, AProxysConnectionsDoNotCountAsOneClients) {
  Start({.trusted_proxies = {"127.0.0.0/8"}, .max_connections_per_address = 2});
  std::vector<std::unique_ptr<AnyClient>> connections;
  for (int i = 0; i < 5; ++i) {
    connections.push_back(Connect());
    connections.back()->Send(Behind("203.0.113." + std::to_string(i), "/"));
    auto answer = connections.back()->ReadAnswer();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->status, 200u);
  }
}

TEST_P(ServerTest, AProxysConnectionsAreLimitedInAll) {
  Start({.trusted_proxies = {"127.0.0.0/8"}, .max_connections = 2});
  auto first = Connect();
  auto second = Connect();
  observer_.WaitForOpen(2);
  RawClient third(server_->port(), ClientOptions());
  EXPECT_EQ(third.ReadToEnd(), "");
}

TEST_P(ProtocolTest, BehindAProxyEachClientHasItsOwnLimit) {
  Start({.trusted_proxies = {"127.0.0.0/8"}, .max_connections_per_address = 2});
  auto first = Connect();
  auto second = Connect();
  first->Send(Behind("203.0.113.7", "/wait"));
  second->Send(Behind("203.0.113.7", "/wait"));
  routes_.WaitForWaiting(2);
  auto third = Connect();
  third->Send(Behind("203.0.113.7", "/"));
  auto refused = third->ReadAnswer();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 429u);
  EXPECT_EQ(refused->Get("retry-after"), "1");
  third->Send(Behind("203.0.113.8", "/"));  // the proxy's connection goes on
  auto neighbour = third->ReadAnswer();
  ASSERT_TRUE(neighbour);
  EXPECT_EQ(neighbour->status, 200u);
  routes_.released = true;
  EXPECT_TRUE(first->ReadAnswer());
  EXPECT_TRUE(second->ReadAnswer());
  EXPECT_EQ(observer_.WaitForRequests(4)[0].remote, "203.0.113.7");
  third->Send(Behind("203.0.113.7", "/"));
  auto later = third->ReadAnswer();
  ASSERT_TRUE(later);
  EXPECT_EQ(later->status, 200u);
}

// The header of the PROXY protocol for a client at 203.0.113.LAST.
std::string ProxyHeader(char last) {
  std::string header("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xcb\0\x71?\x7f\0\0\1\4\1\1\xbb", 28);
  header[19] = last;
  return header;
}

TEST_P(ServerTest, ABalancerNamesTheClientOfAConnection) {
  Start(
      {.trusted_proxies = {"127.0.0.1"}, .proxy_protocol = true, .max_connections_per_address = 2});
  RawClient::Options options = ClientOptions();
  options.preface = ProxyHeader(7);
  RawClient first(server_->port(), options);
  // What the client says about proxies is not believed.
  first.Send(Behind("198.51.100.1", "/"));
  ASSERT_TRUE(first.ReadAnswer());
  first.Send(Behind("198.51.100.1", "/"));
  ASSERT_TRUE(first.ReadAnswer());
  EXPECT_EQ(observer_.WaitForRequests(2)[1].remote, "203.0.113.7");
  auto second = std::make_unique<RawClient>(server_->port(), options);
  second->Send(kGetAny);
  ASSERT_TRUE(second->ReadAnswer());
  RawClient third(server_->port(), options);
  EXPECT_EQ(third.ReadToEnd(), "");
  EXPECT_EQ(observer_.WaitForRefusals(1).front(), "connections_per_address");
  options.preface = ProxyHeader(8);
  RawClient neighbour(server_->port(), options);
  neighbour.Send(kGetAny);
  EXPECT_TRUE(neighbour.ReadAnswer());
  second.reset();
  observer_.WaitForOpen(2);
  options.preface = ProxyHeader(7);
  RawClient fourth(server_->port(), options);
  fourth.Send(kGetAny);
  EXPECT_TRUE(fourth.ReadAnswer());
}

TEST_P(ServerTest, ABalancersOwnConnectionIsItsOwn) {
  Start({.trusted_proxies = {"127.0.0.1"}, .proxy_protocol = true});
  RawClient::Options options = ClientOptions();
  options.preface = ProxyHeader(7);
  options.preface[12] = 0x20;
  RawClient check(server_->port(), options);
  check.Send(kGetAny);
  ASSERT_TRUE(check.ReadAnswer());
  // Other addresses connect as usual.
  options = ClientOptions();
  options.source = "127.0.0.2";
  RawClient direct(server_->port(), options);
  direct.Send(kGetAny);
  ASSERT_TRUE(direct.ReadAnswer());
  auto seen = observer_.WaitForRequests(2);
  EXPECT_EQ(seen[0].remote, "127.0.0.1");
  EXPECT_EQ(seen[1].remote, "127.0.0.2");
}

TEST_P(ServerTest, AProxyWithoutItsHeaderIsRefused) {
  Start({.trusted_proxies = {"127.0.0.1"}, .proxy_protocol = true});
  std::string cut = ProxyHeader(7).substr(0, 20);
  std::size_t refused = 0;
  for (const std::string& preface : {std::string(kGetAny), std::string(40, 'x'), cut}) {
    RawClient::Options options;
    options.preface = preface;
    RawClient client(server_->port(), options);
    if (preface == cut) client.FinishSending();
    EXPECT_EQ(client.ReadToEnd(), "");
    EXPECT_EQ(observer_.WaitForRefusals(++refused).back(), "proxy_header");
  }
  EXPECT_EQ(observer_.request_count(), 0U);
}

// A response that was sent without reading the body leaves the connection in the state it states.
TEST_P(ServerTest, ABodyInChunksThatNobodyWantedDoesNotEndAConnectionThatIsToGoOn) {
  Start();
  auto client = Connect();
  constexpr std::string_view kChunks = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (std::string_view line : {"PUT /nowhere HTTP/1.1", "DELETE / HTTP/1.1"}) {
    client->Send(fmt::format("{}\r\nHost: h\r\n{}", line, kChunks));
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer) << line;
    EXPECT_GE(answer->status, 404u) << line;
    EXPECT_EQ(answer->Get("connection"), "") << line;
  }
  client->Send(kGetAny);
  ASSERT_TRUE(client->ReadAnswer());
  // A path that takes no body says so, and that the connection ends.
  client->Send(fmt::format("GET / HTTP/1.1\r\nHost: h\r\n{}", kChunks));
  auto refused = client->ReadAnswer();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 413u);
  EXPECT_EQ(refused->Get("connection"), "close");
}

TEST_P(ServerTest, TooManyFieldsCountAsTheLimitThatTheyAre) {
  Start();
  auto client = Connect();
  std::string fields;
  for (int i = 0; i < 101; ++i) fields += "A: b\r\n";
  client->Send("GET / HTTP/1.1\r\n" + fields + "\r\n");
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 431u);
  EXPECT_EQ(observer_.WaitForRequests(1)[0].limit, "limits.header_bytes");
}

TEST_P(ServerTest, LimitsConnectionsInAll) {
  Start({.max_connections = 2});
  auto first = Connect();
  auto second = Connect();
  observer_.WaitForOpen(2);
  RawClient third(server_->port(), ClientOptions());
  EXPECT_EQ(third.ReadToEnd(), "");
  EXPECT_EQ(observer_.WaitForRefusals(1).front(), "connections");
}

// Lowers the process's limit to the descriptors in use and `more`.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t more) {
    getrlimit(RLIMIT_NOFILE, &before_);
    int next = dup(0);
    close(next);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(next) + more;
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

// Plain only: a TLS client would wait for the server inside of Connect().
class PlainServerTest : public ServerTest {};
INSTANTIATE_TEST_SUITE_P(Engine, PlainServerTest, testing::Values(Wire::kPlain));

TEST_P(PlainServerTest, SurvivesRunningOutOfDescriptors) {
  Start();
  std::unique_ptr<RawClient> client;
  {
    // One descriptor for the client's own socket, none for the server's. A loop that is still
    // starting may take the one first: then retry, with the number in use by then.
    std::optional<FewDescriptors> few;
    for (int tries = 0; tries < 20 && (!client || !client->connected()); ++tries) {
      few.reset();
      few.emplace(1);
      client = std::make_unique<RawClient>(server_->port(), ClientOptions());
    }
    ASSERT_TRUE(client->connected());
    EXPECT_EQ(observer_.WaitForRefusals(1).front(), "file_descriptors");
  }
  client->Send(kGetAny);
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200u);
}

TEST_P(PlainServerTest, TakesADescriptorThatWasGivenBack) {
  std::mutex mutex;  // any loop may ask
  UniqueFd spare;
  int asked = 0;
  Start({.threads = 1, .free_descriptors = [&] {
           std::lock_guard lock(mutex);
           ++asked;
           bool had = spare.valid();
           spare.Reset();
           return had;
         }});
  // A loop that is still starting would take the released descriptor: this loop has all it needs.
  auto first = Connect();
  first->Send(kGetAny);
  ASSERT_TRUE(first->ReadAnswer());
  std::unique_ptr<RawClient> client;
  std::optional<FewDescriptors> few;
  for (int tries = 0; tries < 20 && (!client || !client->connected()); ++tries) {
    few.reset();
    {
      std::lock_guard lock(mutex);
      spare = UniqueFd(dup(0));
    }
    few.emplace(1);
    client = std::make_unique<RawClient>(server_->port(), ClientOptions());
  }
  ASSERT_TRUE(client->connected());
  client->Send(kGetAny);
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200u);
  few.reset();
  server_.reset();  // before the objects that its callback uses
  EXPECT_GE(asked, 1);
}

TEST_P(ServerTest, NoticesAnUploadThatIsCutOff) {
  Start();
  auto client = Connect();
  client->Send("PUT /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc");
  client->FinishSending();
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 400u);
  auto seen = observer_.WaitForRequests(1);
  EXPECT_EQ(seen[0].status, 400u);
}

// The end arrives with a request that is read later: the read of the request takes all bytes, and
// nothing arrives after it.
TEST_P(ServerTest, NoticesAnEndThatCameWithARequest) {
  Start();
  auto client = Connect();
  client->Send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  routes_.WaitForWaiting(1);
  client->Send(kGetAny);
  client->FinishSending();
  routes_.released = true;
  EXPECT_TRUE(client->ReadAnswer());
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200u);
  EXPECT_EQ(client->WaitForEnd(), RawClient::End::kOrderly);
  observer_.WaitForOpen(0);
}

TEST_P(ServerTest, SurvivesClientsThatVanish) {
  Start();
  for (std::string_view request :
       {"", "G", "GET / HTTP/1.1\r\n", "GET /large-doc HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /file HTTP/1.1\r\nHost: h\r\n\r\n", "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n",
        "PUT /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"}) {
    for (int i = 0; i < 5; ++i) Connect()->Send(request);
  }
  observer_.WaitForOpen(0);
  EXPECT_TRUE(Ask(kGetAny));
  EXPECT_TRUE(observer_.internal_errors().empty());
}

}  // namespace
}  // namespace koya::http
