// HTTP/2: requests and responses as a client sees them.
#include <fmt/format.h>

#include <set>
#include <thread>

#include "http/server/http2_client_fake.h"
#include "http/server/http2_connection.h"
#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

using std::chrono::milliseconds;

class Http2Test : public ServerTest {
 protected:
  Http2Client Client() const { return Http2Client(server_->port()); }
};

TEST_P(Http2Test, IsChosenByTheClient) {
  Start();
  RawClient::Options options = ClientOptions();
  for (auto& [offered, chosen] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"h2"}, "h2"},
           {{"http/1.1", "h2"}, "h2"},
           {{"http/1.1"}, "http/1.1"},
           {{"h3", "http/1.1"}, "http/1.1"}}) {
    options.protocols = offered;
    EXPECT_EQ(RawClient(server_->port(), options).negotiated_protocol(), chosen);
  }
  options.protocols = {"h3"};
  EXPECT_FALSE(RawClient(server_->port(), options).connected());
  EXPECT_TRUE(Ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
}

TEST_P(Http2Test, AnswersFromMemoryFilesAndStreams) {
  Start();
  struct Case {
    std::string path;
    unsigned status;
    std::string body;
  };
  const std::string stream = "one " + routes_.file_bytes.substr(0, 100'000) + " three";
  const Case kCases[] = {
      {"/", 200, "hello"},
      {"/doc", 200, routes_.document->body},
      {"/large-doc", 200, routes_.large_document->body},
      {"/empty", 204, ""},
      {"/file", 200, routes_.file_bytes},
      {"/growing", 200, routes_.file_bytes},
      {"/stream", 200, stream},
      {"/stream-sized", 200, stream},
  };
  Http2Client client = Client();
  for (const Case& c : kCases) {
    Http2Answer answer = client.Get(c.path);
    EXPECT_EQ(answer.status, c.status) << c.path;
    EXPECT_TRUE(answer.complete) << c.path;
    EXPECT_TRUE(answer.body == c.body) << c.path;
    EXPECT_EQ(answer.Get("server"), "koya") << c.path;
    EXPECT_FALSE(answer.Get("x-request-id").empty()) << c.path;
    EXPECT_EQ(answer.fields.count("transfer-encoding"), 0U) << c.path;
    EXPECT_EQ(answer.fields.count("connection"), 0U) << c.path;
  }
  for (const auto& seen : observer_.WaitForRequests(std::size(kCases))) {
    EXPECT_FALSE(seen.cut_off) << seen.path;
    EXPECT_EQ(seen.route, seen.path);
  }
}

TEST_P(Http2Test, FailuresOfSourcesAreAnswersOrResets) {
  Start();
  Http2Client client = Client();
  EXPECT_EQ(client.Get("/stream-fails-at-once").status, 503U);
  EXPECT_EQ(client.Get("/growing-fails-at-once").status, 502U);
  EXPECT_EQ(client.Get("/throw").status, 500U);
  for (std::string path :
       {"/stream-fails-late", "/stream-short", "/stream-long", "/growing-fails-late"}) {
    Http2Answer answer = client.Get(path);
    EXPECT_FALSE(answer.complete) << path;
    EXPECT_EQ(answer.reset, NGHTTP2_INTERNAL_ERROR) << path;
  }
  EXPECT_EQ(client.Get("/").body, "hello");
  auto seen = observer_.WaitForRequests(8);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(seen[i].cut_off, i >= 3 && i < 7) << seen[i].path;
}

TEST_P(Http2Test, UnderstandsRangesConditionsAndHead) {
  Start();
  Http2Client client = Client();
  Http2Answer part = client.Ask({.path = "/file", .fields = {{"range", "bytes=10-19"}}});
  EXPECT_EQ(part.status, 206U);
  EXPECT_EQ(part.body, routes_.file_bytes.substr(10, 10));
  EXPECT_EQ(part.Get("content-range"), "bytes 10-19/300000");
  EXPECT_EQ(client.Ask({.path = "/file", .fields = {{"range", "bytes=400000-"}}}).status, 416U);
  Http2Answer same = client.Ask({.path = "/file", .fields = {{"if-none-match", "\"v1\""}}});
  EXPECT_EQ(same.status, 304U);
  EXPECT_EQ(same.body, "");
  for (std::string path : {"/file", "/doc", "/stream", "/growing"}) {
    Http2Answer head = client.Ask({.method = "HEAD", .path = path});
    EXPECT_EQ(head.status, 200U) << path;
    EXPECT_TRUE(head.complete) << path;
    EXPECT_EQ(head.body, "") << path;
  }
  Http2Answer packed = client.Ask({.path = "/doc", .fields = {{"accept-encoding", "gzip"}}});
  EXPECT_EQ(packed.body, routes_.document->gzip_body);
}

TEST_P(Http2Test, RequestsLookAsInHttp1) {
  Start();
  Http2Client client = Client();
  Http2Answer answer =
      client.Ask({.path = "/echo/a%20b?q=1", .fields = {{"x-request-id", "mine"}}});
  EXPECT_EQ(answer.body,
            "GET path=/echo/a b query=q=1 host=h remote=127.0.0.1 id=mine secure=yes "
            "name=a b");
  EXPECT_EQ(client.Get("/nowhere").status, 404U);
  Http2Answer refused = client.Ask({.method = "DELETE", .path = "/doc"});
  EXPECT_EQ(refused.status, 405U);
  EXPECT_EQ(refused.Get("allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(client.Ask({.method = "OPTIONS", .path = "*"}).status, 204U);
  EXPECT_EQ(client.Ask({.path = "/", .fields = {{"expect", "a miracle"}}}).status, 417U);
  EXPECT_EQ(client.Get("/inject").Get("x-word"), "one  X-Evil: two");
}

TEST_P(Http2Test, TakesBodies) {
  Start();
  Http2Client client = Client();
  const std::string body = routes_.file_bytes;
  const std::string length = std::to_string(body.size());
  Http2Answer sized = client.Ask(
      {.method = "PUT", .path = "/upload", .fields = {{"content-length", length}}, .body = body});
  EXPECT_EQ(sized.status, 201U);
  EXPECT_TRUE(sized.body.starts_with(length + " "));
  Http2Answer unsized = client.Ask({.method = "POST", .path = "/upload", .body = body});
  EXPECT_EQ(unsized.body, sized.body);
  EXPECT_TRUE(client.Ask({.method = "PUT", .path = "/upload", .body = ""}).body.starts_with("0 "));
  EXPECT_FALSE(sized.was_continued);
  auto seen = observer_.WaitForRequests(3);
  EXPECT_GE(seen[1].bytes_received, body.size());
}

TEST_P(Http2Test, ContinuesWhenItWantsTheBody) {
  Start();
  for (bool wanted : {true, false}) {
    Http2Client client = Client();
    client.SendFirst(MakeFrame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1,
                               MakeHeaderBlock({{":method", "PUT"},
                                                {":scheme", "https"},
                                                {":authority", "h"},
                                                {":path", wanted ? "/upload" : "/ignore"},
                                                {"expect", "100-continue"}})));
    const Http2Answer& answer = client.answer(1);
    EXPECT_TRUE(client.ReadUntil([&] { return answer.was_continued || answer.complete; }));
    EXPECT_EQ(answer.was_continued, wanted);
    if (wanted) client.raw().Send(MakeFrame(NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, 1, "abc"));
    EXPECT_EQ(client.Finish(1).status, wanted ? 201U : 403U);
  }
}

TEST_P(Http2Test, RefusesBodiesBeforeTheyHaveArrived) {
  Start();
  Http2Client client = Client();
  const std::string large(TestRoutes::kUploadLimit + 1, 'x');
  const std::string huge(10u << 20, 'x');
  struct Case {
    Http2Request request;
    unsigned status;
  };
  const Case kCases[] = {
      {{.method = "PUT",
        .path = "/upload",
        .fields = {{"content-length", "1048577"}},
        .body = large},
       413},
      {{.method = "PUT", .path = "/upload", .body = huge}, 413},
      {{.method = "GET", .path = "/doc", .body = huge}, 413},
      {{.method = "PUT", .path = "/ignore", .body = huge}, 403},
      {{.method = "PUT", .path = "/nowhere", .body = huge}, 404},
  };
  for (const Case& c : kCases) {
    const std::int32_t id = client.Send(c.request);
    EXPECT_EQ(client.Finish(id).status, c.status) << c.request.path;
    client.ReadUntil([&] { return client.answer(id).reset.has_value(); });
    EXPECT_EQ(client.answer(id).reset, NGHTTP2_NO_ERROR) << c.request.path;
  }
  EXPECT_EQ(client.Get("/").body, "hello") << "the connection goes on";
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(client.Get("/file").body == routes_.file_bytes);
}

TEST_P(Http2Test, AnswersAHundredStreamsAtOnce) {
  Start();
  Http2Client client = Client();
  std::vector<std::int32_t> ids;
  for (std::uint32_t i = 0; i < Http2Connection::kMostStreams; ++i) {
    ids.push_back(client.Send({.path = i % 4 == 0 ? "/file" : "/doc"}));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string& expected = i % 4 == 0 ? routes_.file_bytes : routes_.document->body;
    EXPECT_TRUE(client.Finish(ids[i]).body == expected) << i;
  }
  observer_.WaitForRequests(ids.size());
}

TEST_P(Http2Test, ASmallResponseOvertakesALargeOne) {
  Start();
  Http2Client client = Client();
  const std::int32_t large = client.Send({.path = "/huge-doc"});
  client.ReadUntil([&] { return !client.answer(large).body.empty(); });
  EXPECT_EQ(client.Get("/doc").body, routes_.document->body);
  EXPECT_FALSE(client.answer(large).complete);
  EXPECT_EQ(client.Finish(large).body.size(), 32'000'000U);
}

TEST_P(Http2Test, BuffersNoMoreOfABodyThanTheWindow) {
  Start();
  Http2Client client = Client();
  const std::size_t size = 50u << 20;
  const std::int32_t id = client.Send(
      {.method = "PUT", .path = "/upload-when-released", .body = std::string(size, 'x')});
  routes_.WaitForWaiting(1);
  // Other requests are answered meanwhile, and the client sends as much as it may.
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.Get("/").body, "hello");
  EXPECT_LE(client.body_bytes_sent(), Http2Connection::kStreamWindow);
  EXPECT_GE(client.body_bytes_sent(), 65'535U);
  routes_.released = true;
  EXPECT_TRUE(client.Finish(id).body.starts_with(std::to_string(size) + " "));
}

TEST_P(Http2Test, GivesWindowsBack) {
  Start();
  Http2Client client = Client();
  // Each leaves bytes that no handler reads; together, more than the connection's window.
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(
        client.Ask({.method = "PUT", .path = "/ignore", .body = std::string(200'000, 'x')}).status,
        403U);
  }
  EXPECT_EQ(
      client.Ask({.method = "PUT", .path = "/upload", .body = std::string(1'000'000, 'x')}).status,
      201U);
}

TEST_P(Http2Test, HandlersGoOnWhenTheirStreamIsReset) {
  Start();
  Http2Client client = Client();
  const std::int32_t waiting = client.Send({.path = "/wait"});
  const std::int32_t sending = client.Send(
      {.method = "PUT", .path = "/upload-when-released", .body = std::string(1u << 20, 'x')});
  routes_.WaitForWaiting(2);
  client.Reset(waiting);
  client.Reset(sending);
  EXPECT_EQ(client.Get("/").body, "hello");
  EXPECT_EQ(observer_.WaitForRequests(1).size(), 1U);
  routes_.released = true;
  std::set<std::string> cut;
  for (const auto& seen : observer_.WaitForRequests(3)) {
    if (seen.cut_off) cut.insert(seen.path);
  }
  EXPECT_EQ(cut, (std::set<std::string>{"/wait", "/upload-when-released"}));
  EXPECT_TRUE(observer_.internal_errors().empty());
}

TEST_P(Http2Test, HandlersKnowThatTheirStreamWasReset) {
  Start();
  Http2Client client = Client();
  const std::int32_t reset = client.Send({.path = "/until-left"});
  const std::int32_t waiting = client.Send({.path = "/wait"});
  routes_.WaitForWaiting(1);
  EXPECT_EQ(observer_.request_count(), 0U);
  EXPECT_FALSE(routes_.client_left);
  client.Reset(reset);
  EXPECT_TRUE(observer_.WaitForRequests(1)[0].cut_off);
  EXPECT_TRUE(routes_.client_left);
  // The other streams of the connection stay.
  const std::int32_t staying = client.Send({.path = "/until-left"});
  EXPECT_EQ(client.Get("/").body, "hello");
  routes_.released = true;
  EXPECT_EQ(client.Finish(staying).body, "still there");
  EXPECT_EQ(client.Finish(waiting).body, "released");
}

TEST_P(Http2Test, HandlersEndBeforeTheirConnectionDoes) {
  Start();
  {
    Http2Client client = Client();
    client.Send({.path = "/wait"});
    client.Send({.path = "/huge-doc", .reads = false});
    routes_.WaitForWaiting(1);
  }
  observer_.WaitForRequests(1);
  observer_.WaitForOpen(1);
  routes_.released = true;
  for (const auto& seen : observer_.WaitForRequests(2)) EXPECT_TRUE(seen.cut_off) << seen.path;
  observer_.WaitForOpen(0);
}

TEST_P(Http2Test, StopFinishesWhatHasBegun) {
  Start({.threads = 1});
  Http2Client idle = Client();
  EXPECT_EQ(idle.Get("/").body, "hello");
  Http2Client busy = Client();
  const std::int32_t id = busy.Send({.path = "/wait"});
  routes_.WaitForWaiting(1);
  std::thread stopping([&] { server_->Stop(); });
  EXPECT_FALSE(idle.ReadUntil([] { return false; }));
  EXPECT_EQ(idle.goaway(), NGHTTP2_NO_ERROR);
  EXPECT_EQ(idle.goaway_last(), 1);
  // First only notice is given, for requests that are on their way.
  EXPECT_TRUE(busy.ReadUntil([&] { return busy.goaway().has_value(); }));
  EXPECT_TRUE(busy.ReadUntil([&] { return busy.goaway_last() == id; }));
  routes_.released = true;
  EXPECT_EQ(busy.Finish(id).body, "released");
  EXPECT_FALSE(busy.ReadUntil([] { return false; }));
  stopping.join();
  for (const auto& seen : observer_.WaitForRequests(2)) EXPECT_FALSE(seen.cut_off) << seen.path;
}

TEST_P(Http2Test, StopCutsWhatDoesNotFinishInTime) {
  Start({.drain_deadline = milliseconds(300)});
  Http2Client client = Client();
  client.Send({.path = "/wait"});
  client.Send({.path = "/huge-doc", .reads = false});
  routes_.WaitForWaiting(1);
  const auto start = std::chrono::steady_clock::now();
  server_->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  for (const auto& seen : observer_.WaitForRequests(2)) EXPECT_TRUE(seen.cut_off) << seen.path;
  EXPECT_TRUE(observer_.internal_errors().empty());
}

TEST_P(Http2Test, CountsAndReleasesAsHttp1Does) {
  Start();
  const long before = routes_.held.use_count();
  Http2Client client = Client();
  client.Get("/doc");
  client.Ask({.method = "HEAD", .path = "/doc"});
  client.Ask({.path = "/file", .fields = {{"range", "bytes=0-9"}}});
  observer_.WaitForRequests(3);
  EXPECT_EQ(*routes_.tally, 1U);
  EXPECT_EQ(*routes_.meter, routes_.document->body.size() + 10);
  EXPECT_EQ(routes_.held.use_count(), before);
}

INSTANTIATE_TEST_SUITE_P(Engine, Http2Test, testing::Values(Wire::kHttp2));

}  // namespace
}  // namespace koya::http
