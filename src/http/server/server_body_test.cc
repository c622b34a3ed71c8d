// Bodies in both directions: uploads, 100 Continue, files, ranges, streams.
#include <cstdio>

#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

std::string Put(std::string_view path, std::string_view body) {
  return "PUT " + std::string(path) +
         " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

std::string PutChunked(std::string_view body, std::size_t chunk) {
  std::string request = "PUT /upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  char size[32];
  for (std::size_t at = 0; at < body.size(); at += chunk) {
    std::string_view piece = body.substr(at, chunk);
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    request.append(size).append(piece).append("\r\n");
  }
  return request + "0\r\n\r\n";
}

TEST_P(ServerTest, TellsBodiesFromTheRequestsBehindThem) {
  Start();
  auto client = Connect();
  const std::string large(900'000, 'y');
  std::string batch;
  for (const std::string& body : {std::string("abc"), large, std::string(5000, 'z')}) {
    batch += Put("/upload", body) + std::string(kGet);
    for (std::size_t chunk : {std::size_t{1000}, std::size_t{65'536}, body.size()}) {
      batch += PutChunked(body, chunk) + std::string(kGet);
    }
  }
  client->Send(batch);
  for (const std::string& body : {std::string("abc"), large, std::string(5000, 'z')}) {
    for (int i = 0; i < 4; ++i) {
      auto stored = client->ReadAnswer();
      ASSERT_TRUE(stored);
      EXPECT_EQ(stored->status, 201u);
      EXPECT_TRUE(stored->body.starts_with(std::to_string(body.size()) + " ")) << stored->body;
      auto next = client->ReadAnswer();
      ASSERT_TRUE(next);
      EXPECT_EQ(next->body, "hello");
    }
  }
}

TEST_P(ServerTest, TakesBytesOneByOne) {
  Start();
  auto client = Connect();
  const std::string request = PutChunked("hello world", 4) + std::string(kGet);
  for (char c : request) client->Send(std::string(1, c));
  EXPECT_TRUE(client->ReadAnswer()->body.starts_with("11 "));
  EXPECT_EQ(client->ReadAnswer()->body, "hello");
}

TEST_P(ServerTest, AsksForABodyOnlyWhenItIsRead) {
  Start();
  auto client = Connect();
  std::string expecting =
      " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
  client->Send("PUT /upload" + expecting);
  auto interim = client->ReadAnswer();
  ASSERT_TRUE(interim);
  EXPECT_EQ(interim->head, "HTTP/1.1 100 Continue\r\n\r\n");
  client->Send("abc");
  EXPECT_EQ(client->ReadAnswer()->status, 201u);
  client->Send("PUT /ignore" + expecting);
  auto refused = client->ReadAnswer();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 403u);
  EXPECT_EQ(refused->Get("connection"), "close");
}

TEST_P(ServerTest, SendsNoInterimAnswerWhenTheBodyIsThere) {
  Start();
  auto answer = Ask(
      "PUT /upload HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 201u);
}

TEST_P(ServerTest, DrainsASmallBodyThatNobodyRead) {
  Start();
  auto client = Connect();
  client->Send(Put("/ignore", std::string(10'000, 'x')) + std::string(kGet));
  EXPECT_EQ(client->ReadAnswer()->status, 403u);
  EXPECT_EQ(client->ReadAnswer()->body, "hello");
}

TEST_P(ServerTest, ClosesOnALargeBodyThatNobodyRead) {
  Start();
  auto client = Connect();
  client->Send(Put("/ignore", std::string(20 << 20, 'x')));
  auto answer = client->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 403u);
  EXPECT_EQ(answer->Get("connection"), "close");
}

TEST_P(ServerTest, LeavesBodiesOutForHead) {
  Start();
  auto client = Connect();
  struct Case {
    std::string_view path;
    unsigned status;
    std::string length;
  };
  const Case kCases[] = {
      {"/", 200, "5"},          {"/doc", 200, std::to_string(routes_.document->body.size())},
      {"/file", 200, "300000"}, {"/stream-sized", 200, "100010"},
      {"/stream", 200, ""},     {"/empty", 204, ""},
  };
  for (const Case& c : kCases) {
    client->Send("HEAD " + std::string(c.path) + " HTTP/1.1\r\nHost: h\r\n\r\n");
    auto answer = client->ReadAnswer(true);
    ASSERT_TRUE(answer) << c.path;
    EXPECT_EQ(answer->status, c.status) << c.path;
    EXPECT_EQ(answer->Get("content-length"), c.length) << c.path;
  }
  client->Send("HEAD /nothing HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client->ReadAnswer(true)->status, 404u);
  client->Send(kGet);
  EXPECT_EQ(client->ReadAnswer()->body, "hello");
}

TEST_P(ProtocolTest, ServesRanges) {
  Start();
  auto client = Connect();
  auto ask = [&](std::string_view fields) {
    client->Send("GET /file HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n");
    return client->ReadAnswer().value_or(RawAnswer());
  };
  RawAnswer part = ask("Range: bytes=1000-200999\r\n");
  EXPECT_EQ(part.status, 206u);
  EXPECT_EQ(part.Get("content-range"), "bytes 1000-200999/300000");
  EXPECT_EQ(part.body, routes_.file_bytes.substr(1000, 200'000));
  EXPECT_EQ(ask("Range: bytes=-1\r\n").body, routes_.file_bytes.substr(299'999));
  EXPECT_EQ(ask("If-None-Match: \"v1\"\r\n").status, 304u);
  EXPECT_EQ(ask("Range: bytes=1-2\r\nIf-Range: \"v0\"\r\n").body, routes_.file_bytes);
  RawAnswer outside = ask("Range: bytes=300000-\r\n");
  EXPECT_EQ(outside.status, 416u);
  EXPECT_EQ(outside.Get("content-range"), "bytes */300000");
  EXPECT_EQ(outside.Get("content-type"), "application/json");
  EXPECT_EQ(ask("").body, routes_.file_bytes);
}

TEST_P(ProtocolTest, ServesDocumentsInTheFormAskedFor) {
  Start();
  auto client = Connect();
  auto ask = [&](std::string_view fields) {
    client->Send("GET /large-doc HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n");
    return client->ReadAnswer().value_or(RawAnswer());
  };
  const Document& document = *routes_.large_document;
  EXPECT_EQ(ask("").body, document.body);
  RawAnswer packed = ask("Accept-Encoding: gzip\r\n");
  EXPECT_EQ(packed.body, document.gzip_body);
  EXPECT_EQ(packed.Get("etag"), document.gzip_etag);
  EXPECT_EQ(ask("If-None-Match: " + document.etag + "\r\n").status, 304u);
  EXPECT_EQ(ask("").body, document.body);
}

TEST_P(ServerTest, FramesStreamsByVersion) {
  Start();
  auto client = Connect();
  client->Send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  auto chunked = client->ReadAnswer();
  ASSERT_TRUE(chunked);
  client->Send("GET /stream-sized HTTP/1.1\r\nHost: h\r\n\r\n");
  auto sized = client->ReadAnswer();
  ASSERT_TRUE(sized);
  EXPECT_EQ(sized->Get("content-length"), "100010");
  EXPECT_EQ(sized->body, chunked->body);
  auto old = Connect();
  old->Send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  auto until_close = old->ReadAnswer();
  ASSERT_TRUE(until_close);
  EXPECT_EQ(until_close->Get("connection"), "close");
  EXPECT_EQ(until_close->body, chunked->body);
  EXPECT_TRUE(until_close->complete);
}

TEST_P(ProtocolTest, AnswersForASourceThatFailsAtOnce) {
  Start();
  auto answer = Ask("GET /stream-fails-at-once HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503u);
  EXPECT_EQ(answer->Get("retry-after"), "1");
}

TEST_P(ProtocolTest, NeverPassesAPartForTheWhole) {
  Start();
  for (std::string_view path : {"/stream-fails-late", "/stream-short", "/stream-long"}) {
    for (std::string_view version : {"HTTP/1.1", "HTTP/1.0"}) {
      auto client = Connect();
      client->Send("GET " + std::string(path) + " " + std::string(version) + "\r\nHost: h\r\n\r\n");
      auto answer = client->ReadAnswer();
      EXPECT_FALSE(answer && answer->complete) << path << " " << version;
    }
  }
  for (const auto& seen : observer_.WaitForRequests(6)) EXPECT_TRUE(seen.cut_off) << seen.path;
}

// Heads and framing do not count; of a response that was cut off, the bytes sent count.
TEST_P(ServerTest, WhatABodyTookIsAddedToItsMeter) {
  struct Case {
    std::string request;
    std::uint64_t bytes;
  };
  const std::uint64_t file = routes_.file_bytes.size();
  const Case kCases[] = {
      {"GET /doc HTTP/1.1\r\n", routes_.document->body.size()},
      {"HEAD /doc HTTP/1.1\r\n", 0},
      {"GET /doc HTTP/1.1\r\nAccept-Encoding: gzip\r\n", routes_.document->gzip_body.size()},
      {"GET /doc HTTP/1.1\r\nIf-None-Match: " + routes_.document->etag + "\r\n", 0},
      {"GET /large-doc HTTP/1.1\r\n", routes_.large_document->body.size()},
      {"GET /file HTTP/1.1\r\n", file},
      {"GET /file HTTP/1.1\r\nRange: bytes=100-299\r\n", 200},
      {"GET /growing HTTP/1.1\r\n", file},
      {"GET /growing-fails-late HTTP/1.1\r\n", file - 1},
      {"GET /stream HTTP/1.1\r\n", 100'010},
      {"GET /empty HTTP/1.1\r\n", 0},
      {"GET /nowhere HTTP/1.1\r\n", 0},
  };
  Start();
  std::uint64_t before = 0;
  std::size_t asked = 0;
  for (const Case& each : kCases) {
    auto client = Connect();
    client->Send(each.request + "Host: h\r\n\r\n");
    client->ReadAnswer(each.request.starts_with("HEAD "));
    observer_.WaitForRequests(++asked);
    EXPECT_EQ(*routes_.meter - before, each.bytes) << each.request;
    before = *routes_.meter;
  }
}

// Counts of fetches exclude heads, parts, errors, and responses that were cut off.
TEST_P(ProtocolTest, OnlyAnswersThatWereSentWholeAreTallied) {
  struct Case {
    std::string request;
    bool counts;
  };
  const std::string& etag = routes_.document->etag;
  const Case kCases[] = {
      {"GET /doc HTTP/1.1\r\n", true},
      {"GET /doc HTTP/1.1\r\nAccept-Encoding: gzip\r\n", true},
      {"GET /doc HTTP/1.1\r\nIf-None-Match: \"another\"\r\n", true},
      {"GET /large-doc HTTP/1.1\r\n", true},
      {"GET /file HTTP/1.1\r\n", true},
      {"GET /growing HTTP/1.1\r\n", true},
      {"GET /stream HTTP/1.1\r\n", true},
      {"HEAD /doc HTTP/1.1\r\n", false},
      {"HEAD /file HTTP/1.1\r\n", false},
      {"GET /doc HTTP/1.1\r\nIf-None-Match: " + etag + "\r\n", false},
      {"GET /doc HTTP/1.1\r\nIf-None-Match: *\r\n", false},
      {"GET /file HTTP/1.1\r\nRange: bytes=100-299\r\n", false},
      {"GET /file HTTP/1.1\r\nRange: bytes=99999999-\r\n", false},
      {"GET /growing-fails-late HTTP/1.1\r\n", false},
      {"GET /stream-fails-late HTTP/1.1\r\n", false},
      {"GET /stream-fails-at-once HTTP/1.1\r\n", false},
      {"GET /throw HTTP/1.1\r\n", false},
      {"GET /nowhere HTTP/1.1\r\n", false},
  };
  Start();
  std::uint64_t before = 0;
  std::size_t asked = 0;
  for (const Case& each : kCases) {
    auto client = Connect();
    client->Send(each.request + "Host: h\r\n\r\n");
    client->ReadAnswer(each.request.starts_with("HEAD "));
    observer_.WaitForRequests(++asked);
    EXPECT_EQ(*routes_.tally - before, each.counts ? 1U : 0U) << each.request;
    before = *routes_.tally;
  }
}

TEST_P(ProtocolTest, SendsAFileWhileItGrows) {
  Start();
  auto client = Connect();
  for (int i = 0; i < 2; ++i) {  // on one connection
    client->Send("GET /growing HTTP/1.1\r\nHost: h\r\n\r\n");
    auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200u);
    EXPECT_EQ(answer->Get("content-length"), "300000");
    EXPECT_EQ(answer->body, routes_.file_bytes);
  }
}

TEST_P(ProtocolTest, AnswersRangeAndHeadOfAGrowingFile) {
  Start();
  auto part = Ask("GET /growing HTTP/1.1\r\nHost: h\r\nRange: bytes=99990-200009\r\n\r\n");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->status, 206u);
  EXPECT_EQ(part->body, routes_.file_bytes.substr(99'990, 100'020));
  EXPECT_EQ(part->Get("content-range"), "bytes 99990-200009/300000");
  auto beyond = Ask("GET /growing HTTP/1.1\r\nHost: h\r\nRange: bytes=300000-\r\n\r\n");
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->status, 416u);
  auto kept = Ask("GET /growing HTTP/1.1\r\nHost: h\r\nIf-None-Match: \"v1\"\r\n\r\n");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->status, 304u);
}

TEST_P(ProtocolTest, AFileThatNeverBecomesWholeIsAnsweredOrCutOff) {
  Start();
  auto refused = Ask("GET /growing-fails-at-once HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 502u);
  EXPECT_TRUE(refused->body.contains("not those announced"));
  EXPECT_EQ(refused->Get("etag"), "");
  auto cut = Ask("GET /growing-fails-late HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_FALSE(cut && cut->complete);
  EXPECT_TRUE(observer_.WaitForRequests(2)[1].cut_off);
}

// Nor may who asks for a part get all of it before the whole is known to be right.
TEST_P(ProtocolTest, APartOfAFileThatNeverBecomesWholeIsAnsweredOrCutOff) {
  Start();
  for (const char* range : {"0-0", "1000-1000", "299998-299998"}) {
    auto refused =
        Ask("GET /growing-fails-late HTTP/1.1\r\nHost: h\r\nRange: bytes=" + std::string(range) +
            "\r\n\r\n");
    ASSERT_TRUE(refused) << range;
    EXPECT_EQ(refused->status, 502u) << range;
  }
  for (const char* range : {"0-1", "1000-200000", "0-299998", "299997-299998", "100000-"}) {
    auto cut =
        Ask("GET /growing-fails-late HTTP/1.1\r\nHost: h\r\nRange: bytes=" + std::string(range) +
            "\r\n\r\n");
    EXPECT_FALSE(cut && cut->complete) << range;
  }
  auto right = Ask("GET /growing HTTP/1.1\r\nHost: h\r\nRange: bytes=7-7\r\n\r\n");
  ASSERT_TRUE(right);
  EXPECT_EQ(right->body, routes_.file_bytes.substr(7, 1));
}

}  // namespace
}  // namespace koya::http
