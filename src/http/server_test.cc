// The engine over loopback sockets: the same tables of raw bytes, plain and over TLS.
#include "http/server.h"

#include "http/server_fixture_fake.h"

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
}

TEST_P(ServerTest, KeepsConnectionsAlive) {
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

INSTANTIATE_TEST_SUITE_P(Engine, ServerTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Tls" : "Plain"; });

}  // namespace
}  // namespace koya::http
