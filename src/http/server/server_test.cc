// The engine over loopback sockets: the same tables of raw bytes, plain and over TLS.
#include "http/server/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/trace.h"
#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

constexpr std::string_view kGetDoc = "GET /doc HTTP/1.1\r\nHost: h\r\n\r\n";

TEST_P(ServerTest, AnswersADocument) {
  Start();
  auto answer = Ask(kGetDoc);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200u);
  EXPECT_EQ(answer->body, routes_.document->body);
  EXPECT_EQ(answer->Get("content-type"), "application/json");
  EXPECT_EQ(answer->Get("etag"), routes_.document->etag);
  EXPECT_EQ(answer->Get("vary"), "Accept-Encoding");
  EXPECT_EQ(answer->Get("server"), "koya");
  EXPECT_EQ(answer->Get("date").size(), 29u);
  EXPECT_EQ(answer->Get("x-request-id").size(), 24u);
  EXPECT_EQ(answer->Get("connection"), "");
  EXPECT_EQ(answer->Get("strict-transport-security"), "") << "it was not asked for";
}

TEST_P(ServerTest, EveryAnswerSaysThatItsTypeIsNotToBeGuessed) {
  Start();
  for (std::string_view request :
       {kGetDoc, std::string_view("GET /echo/x HTTP/1.1\r\nHost: h\r\n\r\n"),
        std::string_view("GET /file HTTP/1.1\r\nHost: h\r\n\r\n"),
        std::string_view("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n"),
        std::string_view("GET /none HTTP/1.1\r\nHost: h\r\n\r\n"),
        std::string_view("PATCH /doc HTTP/1.1\r\nHost: h\r\n\r\n"),
        std::string_view("OPTIONS /doc HTTP/1.1\r\nHost: h\r\n\r\n"),
        std::string_view("GET /../x HTTP/1.1\r\nHost: h\r\n\r\n"),
        std::string_view("no HTTP at all\r\n\r\n")}) {
    auto answer = Ask(request);
    ASSERT_TRUE(answer) << request;
    EXPECT_EQ(answer->Get("x-content-type-options"), "nosniff") << request << answer->status;
  }
}

TEST_P(ProtocolTest, SecureAnswersAskForStrictTransport) {
  Start({.trusted_proxies = {"127.0.0.0/8"}, .strict_transport = true});
  constexpr std::string_view kYear = "max-age=31536000";
  for (std::string_view target : {"/doc", "/echo/x", "/file", "/none", "/nowhere"}) {
    const std::string head = fmt::format("GET {} HTTP/1.1\r\nHost: h\r\n", target);
    EXPECT_EQ(Ask(head + "\r\n")->Get("strict-transport-security"), tls() ? kYear : "") << target;
    EXPECT_EQ(Ask(head + "X-Forwarded-Proto: https\r\n\r\n")->Get("strict-transport-security"),
              kYear)
        << target;
  }
}

TEST_P(ProtocolTest, KeepsConnectionsAlive) {
  Start();
  auto client = Connect();
  for (int i = 0; i < 3; ++i) {
    client->Send(kGetDoc);
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200u);
  }
}

TEST_P(ServerTest, AnswersPipelinedRequestsInOrder) {
  Start();
  auto client = Connect();
  std::string batch;
  for (int i = 0; i < 200; ++i) {
    batch += "GET /echo/" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\n\r\n";
    if (i % 50 == 0) batch += "GET /large-doc HTTP/1.1\r\nHost: h\r\n\r\n";
  }
  client->Send(batch);
  for (int i = 0; i < 200; ++i) {
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->body.ends_with(" name=" + std::to_string(i))) << answer->body;
    if (i % 50 != 0) continue;
    auto large = client->ReadAnswer();
    ASSERT_TRUE(large);
    EXPECT_EQ(large->body, routes_.large_document->body);
  }
}

// Repeated fields are not parsed again: what the next request says must not come from the last one.
TEST_P(ServerTest, ReadsEachRequestOfAConnectionByItself) {
  Start();
  auto client = Connect();
  for (int round = 0; round < 3; ++round) {
    for (std::string_view id :
         {"one", "one", "two", "one", "three", "four", "five", "six", "six"}) {
      client->Send(fmt::format(
          "GET /echo/{} HTTP/1.1\r\nHost: {}.example\r\nX-Request-Id: {}\r\n\r\n", id, id, id));
      auto answer = client->ReadAnswer();
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->Get("x-request-id"), id);
      EXPECT_TRUE(answer->body.contains(fmt::format("host={}.example ", id))) << answer->body;
      EXPECT_TRUE(answer->body.ends_with(fmt::format(" name={}", id))) << answer->body;
    }
    // The same fields with a body, an older version, and in two pieces.
    client->Send("PUT /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
    EXPECT_TRUE(client->ReadAnswer()->body.contains('3'));
    client->Send("PUT /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n");
    client->Send("abc");
    EXPECT_TRUE(client->ReadAnswer()->body.contains('3'));
    client->Send("GET /echo/a HTTP/1.1\r\nHost: h\r\n");
    client->Send("\r\nGET /echo/b HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_TRUE(client->ReadAnswer()->body.ends_with(" name=a"));
    EXPECT_TRUE(client->ReadAnswer()->body.ends_with(" name=b"));
  }
  client->Send("GET /echo/c HTTP/1.0\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client->ReadAnswer()->Get("connection"), "close") << "as HTTP/1.0 asks for";
}

TEST_P(ServerTest, TakesUploads) {
  Start();
  std::string body(1'000'000, 'x');
  auto sized = Ask("PUT /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n" + body);
  ASSERT_TRUE(sized);
  EXPECT_EQ(sized->status, 201u);
  EXPECT_TRUE(sized->body.starts_with("1000000 "));
  auto chunked =
      Ask("PUT /upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nF4240\r\n" + body +
          "\r\n0\r\n\r\n");
  ASSERT_TRUE(chunked);
  EXPECT_EQ(chunked->body, sized->body);
}

TEST_P(ServerTest, SendsFiles) {
  Start();
  auto answer = Ask("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, routes_.file_bytes);
}

TEST_P(ServerTest, StreamsAnswers) {
  Start();
  auto answer = Ask("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->complete);
  EXPECT_EQ(answer->Get("transfer-encoding"), "chunked");
  EXPECT_EQ(answer->body.size(), 100'010u);
}

TEST_P(ServerTest, ServesOldClients) {
  Start();
  auto closing = Connect();
  closing->Send("GET / HTTP/1.0\r\n\r\n");
  auto answer = closing->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "hello");
  EXPECT_EQ(answer->Get("connection"), "close");
  EXPECT_EQ(closing->WaitForEnd(), RawClient::End::kOrderly);
  auto staying = Connect();
  for (int i = 0; i < 2; ++i) {
    staying->Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    auto kept = staying->ReadAnswer();
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->Get("connection"), "keep-alive");
  }
}

TEST_P(ServerTest, ClosesWhenAsked) {
  Start();
  auto client = Connect();
  client->Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client->ReadAnswer()->Get("connection"), "close");
  EXPECT_EQ(client->WaitForEnd(), RawClient::End::kOrderly);
}

TEST_P(ProtocolTest, AnswersEmptyAnswersWithoutLength) {
  Start();
  auto answer = Ask("GET /empty HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 204u);
  EXPECT_EQ(answer->Get("x-terraform-get"), "https://example.com/a.tgz");
  EXPECT_FALSE(answer->fields.contains("content-length"));
}

TEST_P(ProtocolTest, HidesExceptionsButReportsThem) {
  Start();
  auto client = Connect();
  client->Send("GET /throw HTTP/1.1\r\nHost: h\r\n\r\n");
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 500u);
  EXPECT_EQ(answer->body.find("a bug"), std::string::npos);
  EXPECT_EQ(observer_.internal_errors(), std::vector<std::string>{"a bug"});
  client->Send(kGetDoc);
  EXPECT_EQ(client->ReadAnswer()->status, 200u);
}

class SpanList final : public SpanSink {
 public:
  void AcceptSpan(Span span) override {
    const std::lock_guard lock(mutex_);
    spans_.push_back(std::move(span));
  }
  std::vector<Span> spans() {
    const std::lock_guard lock(mutex_);
    return spans_;
  }

 private:
  std::mutex mutex_;
  std::vector<Span> spans_;
};

constexpr std::string_view kTraced =
    "Host: h\r\ntraceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";

// Its handler is a coroutine of its own: whatever may happen to it happens all the same.
TEST_P(ProtocolTest, ATracedRequestIsAnsweredAsAnyOther) {
  SpanList list;
  Start({.spans = &list, .drain_deadline = std::chrono::milliseconds(300)});
  auto client = Connect();
  client->Send(
      fmt::format("GET /doc HTTP/1.1\r\n{0}\r\nGET /throw HTTP/1.1\r\n{0}\r\n"
                  "PUT /upload HTTP/1.1\r\n{0}Content-Length: 3\r\n\r\nabc"
                  "GET /doc HTTP/1.1\r\nHost: h\r\n\r\n",
                  kTraced));
  for (const unsigned status : {200U, 500U, 201U, 200U}) {
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, status);
  }
  client->Send(fmt::format("GET /wait HTTP/1.1\r\n{}\r\n", kTraced));
  routes_.WaitForWaiting(1);
  server_->Stop();
  EXPECT_FALSE(client->ReadAnswer());
  EXPECT_EQ(observer_.internal_errors(), std::vector<std::string>{"a bug"});
  std::vector<std::string> names;
  for (const Span& span : list.spans()) {
    EXPECT_EQ(span.parent_id, "00f067aa0ba902b7");
    names.push_back(fmt::format("{} {}", span.name, span.failed));
  }
  // Requests of HTTP/2 run at once.
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"GET /doc false", "GET /throw true", "GET /wait true",
                                             "PUT /upload false"}));
  server_.reset();  // before the list
}

TEST_P(ServerTest, TellsHandlersAboutTheRequest) {
  Start();
  auto answer =
      Ask("GET /echo/a%2Bb?q=%2F HTTP/1.1\r\nHost: example.com:1\r\nX-Request-Id: my-id\r\n"
          "X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-Proto: https\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, std::string("GET path=/echo/a+b query=q=%2F host=example.com:1 "
                                      "remote=127.0.0.1 id=my-id secure=") +
                              (tls() ? "yes" : "no") + " name=a+b");
  EXPECT_EQ(answer->Get("x-request-id"), "my-id");
  auto absolute = Ask("GET http://other/echo/x HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_NE(absolute->body.find("host=other "), std::string::npos);
  auto strange = Ask("GET / HTTP/1.1\r\nHost: h\r\nX-Request-Id: a b\r\n\r\n");
  EXPECT_EQ(strange->Get("x-request-id").size(), 24u);
}

TEST_P(ProtocolTest, BelievesTrustedProxies) {
  Start({.trusted_proxies = {"127.0.0.0/8"}});
  auto answer =
      Ask("GET /echo/x HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 9.9.9.9\r\n"
          "X-Forwarded-Proto: https\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->body.find("remote=9.9.9.9 "), std::string::npos);
  EXPECT_NE(answer->body.find("secure=yes"), std::string::npos);
}

TEST_P(ServerTest, ReportsEveryRequest) {
  Start();
  auto client = Connect();
  std::string first =
      "GET /echo/a?secret HTTP/1.1\r\nHost: h\r\nUser-Agent: tofu\r\nX-Request-Id: one\r\n\r\n";
  client->Send(first);
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  client->Send("PUT /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
  ASSERT_TRUE(client->ReadAnswer());
  client->Send("nonsense\r\n\r\n");
  ASSERT_TRUE(client->ReadAnswer());
  auto seen = observer_.WaitForRequests(3);
  EXPECT_EQ(seen[0].method, "GET");
  EXPECT_EQ(seen[0].path, "/echo/a");
  EXPECT_EQ(seen[0].route, "/echo/{name}");
  EXPECT_EQ(seen[0].remote, "127.0.0.1");
  EXPECT_EQ(seen[0].request_id, "one");
  EXPECT_EQ(seen[0].user_agent, "tofu");
  EXPECT_EQ(seen[0].status, 200u);
  EXPECT_EQ(seen[0].bytes_received, first.size());
  EXPECT_EQ(seen[0].bytes_sent, answer->head.size() + answer->body.size());
  EXPECT_FALSE(seen[0].cut_off);
  EXPECT_EQ(seen[1].status, 201u);
  EXPECT_EQ(seen[2].status, 400u);
  EXPECT_EQ(seen[2].route, "");
  EXPECT_FALSE(seen[2].detail.empty());
}

TEST_P(ProtocolTest, ReportsTheTraceOfARequestThatHasOne) {
  Start();
  auto client = Connect();
  const std::string field =
      "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";
  for (const std::string& fields : {field, std::string("Traceparent: 00-x\r\n"), field + field,
                                    field + field + field, std::string()}) {
    client->Send("GET /echo/a HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n");
    ASSERT_TRUE(client->ReadAnswer());
  }
  auto seen = observer_.WaitForRequests(5);
  EXPECT_EQ(seen[0].trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i].trace_id, "") << i;
}

INSTANTIATE_TEST_SUITE_P(Engine, ServerTest, testing::Values(Wire::kPlain, Wire::kTls), WireName);
INSTANTIATE_TEST_SUITE_P(Engine, ProtocolTest,
                         testing::Values(Wire::kPlain, Wire::kTls, Wire::kHttp2), WireName);

}  // namespace
}  // namespace koya::http
