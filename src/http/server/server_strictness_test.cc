// What the engine refuses, and how: raw bytes in, status and end of the connection out.
#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

using End = RawClient::End;

struct Refused {
  std::string bytes;
  unsigned status;
};

std::vector<Refused> MalformedRequests() {
  return {
      {"\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET / HTTP/1.1\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\n\n", 400},
      {"GET /\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: b\r\nAuthorization: b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
      {"GET /a//b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /a%2Fb HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 400},
      {"PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"PUT /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 400},
      {"PUT /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400},
      {"PUT /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc", 400},
      {"PUT /upload HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 1\r\n\r\n", 417},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n", 431},
      {"GET /" + std::string(20'000, 'x'), 414},
      {"GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
      // A body where none is taken, or more than is taken.
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na", 413},
      {"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 413},
      {"PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n", 413},
      {"PUT /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n" +
           std::string(0x100001, 'x') + "\r\n0\r\n\r\n",
       413},
  };
}

TEST_P(ServerTest, RefusesAndCloses) {
  Start();
  for (const Refused& c : MalformedRequests()) {
    auto client = Connect();
    client->Send(c.bytes);
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer) << c.bytes.substr(0, 200);
    EXPECT_EQ(answer->status, c.status) << c.bytes.substr(0, 200) << answer->body;
    EXPECT_EQ(answer->Get("connection"), "close");
    EXPECT_EQ(answer->Get("content-type"), "application/json");
    EXPECT_EQ(answer->Get("cache-control"), "no-store");
    EXPECT_FALSE(answer->Get("x-request-id").empty());
    EXPECT_TRUE(answer->complete);
    EXPECT_EQ(client->WaitForEnd(), End::kOrderly) << c.bytes.substr(0, 200);
  }
}

constexpr std::string_view kInWords = "Accept: text/plain\r\nAccept-Language: ja\r\n";

TEST_P(ServerTest, RefusesAsTheRequestWants) {
  Start();
  const std::string wants(kInWords);
  const std::string large(20'000, 'x');
  const std::pair<std::string, std::string_view> kCases[] = {
      {"GET /" + large + " HTTP/1.1\r\nHost: a\r\n" + wants + "\r\n",
       "GET /xxxxxxx in ja: the request's target is too long"},
      {"GET /a HTTP/1.1\r\nHost: a\r\nCookie: " + large + "\r\n" + wants + "\r\n",
       "GET /a in ja: the request's header is too large"},
      {"GET /b HTTP/1.1\r\n" + wants + "Host: a\r\nCookie: " + large + "\r\n\r\n",
       "GET /b in ja: the request's header is too large"},
      {"GET /a//b HTTP/1.1\r\nHost: a\r\n" + wants + "\r\n",
       "GET /a//b in ja: the path holds an empty segment"},
      {"POST / HTTP/1.1\r\nHost: a\r\n" + wants + "\r\n",
       "POST / in ja: this path does not accept this method; see the Allow field"},
      {"GET / HTTP/1.1\r\nHost: a\r\n" + wants + "Content-Length: 1\r\n\r\na", "GET / in ja: "},
  };
  for (const auto& [request, body] : kCases) {
    auto answer = Ask(request);
    ASSERT_TRUE(answer) << request.substr(0, 100);
    EXPECT_EQ(answer->Get("content-type"), "text/plain") << request.substr(0, 100);
    EXPECT_EQ(answer->Get("cache-control"), "no-store");
    EXPECT_TRUE(answer->body.starts_with(body)) << answer->body;
  }
}

TEST_P(ServerTest, WhatComesTooLateOrInTheBodyDecidesNothing) {
  Start();
  const std::string large(20'000, 'x');
  for (const std::string& request :
       {"GET /" + large, "GET /" + large + std::string(100'000, 'x') + " HTTP/1.1\r\n",
        "PUT /a HTTP/1.1\r\nHost: a\r\nCookie: " + large + "\r\n\r\n" + std::string(kInWords)}) {
    auto client = Connect();
    client->Send(request);
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer) << request.substr(0, 100);
    EXPECT_EQ(answer->Get("content-type"), "application/json");
    EXPECT_EQ(client->WaitForEnd(), End::kOrderly);
  }
  const std::vector<RecordingObserver::Seen> seen = observer_.WaitForRequests(3);
  for (const auto& each : seen) EXPECT_EQ(each.limit, "limits.header_bytes");
  EXPECT_EQ(seen[2].method, "PUT");
}

TEST_P(ServerTest, AnOverlongHeadIsAnsweredAfterWhatCameBefore) {
  Start();
  auto client = Connect();
  client->Send("GET /echo/1 HTTP/1.1\r\nHost: h\r\n\r\nGET /" + std::string(40'000, 'x') +
               " HTTP/1.1\r\n\r\n");
  auto first = client->ReadAnswer();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status, 200u);
  auto second = client->ReadAnswer();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->status, 414u);
  EXPECT_EQ(client->WaitForEnd(), End::kOrderly);
}

TEST_P(ServerTest, RefusesAndStaysOpen) {
  Start();
  struct Case {
    std::string_view request;
    unsigned status;
    std::string_view allow;
  };
  const Case kCases[] = {
      {"GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n", 404, ""},
      {"POST / HTTP/1.1\r\nHost: h\r\n\r\n", 405, "GET, HEAD, OPTIONS"},
      {"GET /upload HTTP/1.1\r\nHost: h\r\n\r\n", 405, "PUT, POST, OPTIONS"},
      {"BREW / HTTP/1.1\r\nHost: h\r\n\r\n", 405, "GET, HEAD, OPTIONS"},
      {"get / HTTP/1.1\r\nHost: h\r\n\r\n", 405, "GET, HEAD, OPTIONS"},
      {"BREW /nothing HTTP/1.1\r\nHost: h\r\n\r\n", 405, "GET, HEAD, PUT, POST, OPTIONS"},
      {"TRACE /nothing HTTP/1.1\r\nHost: h\r\n\r\n", 405, "GET, HEAD, PUT, POST, OPTIONS"},
      {"OPTIONS / HTTP/1.1\r\nHost: h\r\n\r\n", 204, "GET, HEAD, OPTIONS"},
      {"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 204, "GET, HEAD, PUT, POST, OPTIONS"},
      {"OPTIONS /nothing HTTP/1.1\r\nHost: h\r\n\r\n", 404, ""},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", 405, "GET, HEAD, OPTIONS"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 200, ""},
      {"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 200, ""},
      {"GET http://other/echo/x HTTP/1.1\r\nHost: h\r\n\r\n", 200, ""},
  };
  auto client = Connect();
  for (const Case& c : kCases) {
    client->Send(c.request);
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer) << c.request;
    EXPECT_EQ(answer->status, c.status) << c.request;
    EXPECT_EQ(answer->Get("allow"), c.allow) << c.request;
    EXPECT_EQ(answer->Get("connection"), "") << c.request;
  }
}

TEST_P(ServerTest, KeepsFieldsOfHandlersOnTheirLines) {
  Start();
  auto answer = Ask("GET /inject HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->Get("x-evil"), "");
  EXPECT_EQ(answer->Get("x-word"), "one  X-Evil: two");
}

TEST_P(ServerTest, LetsAClientThatStillSendsReadThe413) {
  Start();
  for (bool chunked : {false, true}) {
    auto client = Connect();
    const std::string piece(1 << 20, 'x');
    client->Send(chunked ? "PUT /upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                         : "PUT /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 33554432\r\n\r\n");
    for (int i = 0; i < 32; ++i) {
      if (chunked) EXPECT_TRUE(client->Send("100000\r\n"));
      EXPECT_TRUE(client->Send(piece)) << i;
      if (chunked) EXPECT_TRUE(client->Send("\r\n"));
    }
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer) << chunked;
    EXPECT_EQ(answer->status, 413u);
    EXPECT_TRUE(answer->complete);
  }
}

TEST_P(ServerTest, HoldsBackTheBodyOfAnUploadThatIsTooLarge) {
  Start();
  auto client = Connect();
  client->Send(
      "PUT /upload HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: "
      "33554432\r\n\r\n");
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413u);
}

}  // namespace
}  // namespace koya::http
