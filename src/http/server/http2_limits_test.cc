// HTTP/2: floods, deadlines, and clients that stall or vanish.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "http/server/http2_client_fake.h"
#include "http/server/http2_connection.h"
#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

using std::chrono::milliseconds;

constexpr int kFlood = 2000;

std::string SmallRequest(std::uint32_t stream, std::string path, bool ends = true) {
  const int flags = NGHTTP2_FLAG_END_HEADERS | (ends ? NGHTTP2_FLAG_END_STREAM : 0);
  return MakeFrame(NGHTTP2_HEADERS, static_cast<std::uint8_t>(flags), stream,
                   MakeHeaderBlock({{":method", ends ? "GET" : "PUT"},
                                    {":scheme", "https"},
                                    {":authority", "h"},
                                    {":path", std::move(path)}}));
}

class Http2LimitsTest : public ServerTest {};

TEST(FrameBudgetTest, FillsUpWithTime) {
  FrameBudget budget;
  for (int i = 0; i < FrameBudget::kMost; ++i) EXPECT_TRUE(budget.Take(1'000'000)) << i;
  EXPECT_FALSE(budget.Take(1'000'000));
  FrameBudget patient;
  LoopTime now = 1'000'000;
  for (int i = 0; i < 10 * FrameBudget::kMost; ++i) {
    EXPECT_TRUE(patient.Take(now)) << i;
    now += 1000 / FrameBudget::kPerSecond;
  }
}

// Whether the block's pages are its own and none but the first is in memory.
bool TakesOnePage(void* block, std::size_t size) {
  std::vector<unsigned char> pages((size + 4095) / 4096);
  if (mincore(block, size, pages.data()) != 0) return false;  // not at the start of a page
  return std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }) == 1;
}

TEST(Http2MemoryTest, TheLargestBlockTakesOnlyThePagesThatAreUsed) {
  constexpr std::size_t kFrame = 16 * 1024 + 10;
  Http2Memory memory;
  const nghttp2_mem functions = memory.functions();
  void* small = functions.malloc(100, functions.mem_user_data);
  void* frame = functions.realloc(nullptr, kFrame, functions.mem_user_data);
  void* second = functions.malloc(kFrame, functions.mem_user_data);
  std::memcpy(frame, "frame", 6);
  EXPECT_TRUE(TakesOnePage(frame, kFrame));
  frame = functions.realloc(frame, 2 * kFrame, functions.mem_user_data);
  EXPECT_STREQ(static_cast<const char*>(frame), "frame");
  // It is the first again once there is none.
  void* third = functions.malloc(kFrame, functions.mem_user_data);
  std::memcpy(third, "third", 6);
  EXPECT_TRUE(TakesOnePage(third, kFrame));
  for (void* block : {small, frame, second, third, static_cast<void*>(nullptr)}) {
    functions.free(block, functions.mem_user_data);
  }
}

TEST_P(Http2LimitsTest, EndsFloods) {
  Start();
  auto repeated = [](const std::string& frame) {
    std::string frames;
    for (int i = 0; i < kFlood; ++i) frames += frame;
    return frames;
  };
  std::string resets;
  std::string wide_windows;
  for (std::uint32_t i = 0; i < kFlood; ++i) {
    const std::uint32_t stream = 2 * i + 1;
    resets += SmallRequest(stream, "/wait") +
              MakeFrame(NGHTTP2_RST_STREAM, 0, stream, std::string("\0\0\0\x08", 4));
    wide_windows += SmallRequest(stream, "/upload", false) +
                    MakeFrame(NGHTTP2_WINDOW_UPDATE, 0, stream, "\x7f\xff\xff\xff");
  }
  struct Case {
    std::string_view name;
    std::string frames;
  };
  const Case kCases[] = {
      {"pings", repeated(MakeFrame(NGHTTP2_PING, 0, 0, "12345678"))},
      {"settings", repeated(MakeFrame(NGHTTP2_SETTINGS, 0, 0, ""))},
      {"resets", resets},
      {"resets by the server", wide_windows},
      {"small increments",
       repeated(MakeFrame(NGHTTP2_WINDOW_UPDATE, 0, 0, std::string("\0\0\0\1", 4)))},
      {"empty data",
       SmallRequest(1, "/upload", false) + repeated(MakeFrame(NGHTTP2_DATA, 0, 1, ""))},
  };
  std::size_t count = 0;
  for (const Case& c : kCases) {
    Http2Client client(server_->port());
    client.raw().Send(c.frames);
    client.ReadUntil([&] { return client.goaway().has_value(); });
    EXPECT_EQ(client.goaway(), NGHTTP2_ENHANCE_YOUR_CALM) << c.name;
    EXPECT_EQ(observer_.WaitForRefusals(++count).back(), "http2_flood") << c.name;
  }
  routes_.released = true;
  observer_.WaitForOpen(0);
}

TEST_P(Http2LimitsTest, EndsHeadsThatGoOn) {
  Start();
  const std::string piece = MakeHeaderBlock({{"x", std::string(10'000, 'a')}});
  struct Case {
    std::string_view name;
    std::string first;
    std::string next;
  };
  const Case kCases[] = {
      {"large ones", piece, piece},
      {"empty ones", piece, ""},
  };
  for (const Case& c : kCases) {
    Http2Client client(server_->port());
    std::string frames = MakeFrame(NGHTTP2_HEADERS, 0, 1, c.first);
    for (int i = 0; i < 20; ++i) frames += MakeFrame(NGHTTP2_CONTINUATION, 0, 1, c.next);
    client.raw().Send(frames);
    EXPECT_FALSE(client.ReadUntil([] { return false; })) << c.name;
  }
  EXPECT_EQ(observer_.request_count(), 0U);
}

TEST_P(Http2LimitsTest, RefusesMoreStreamsThanItAnnounced) {
  Start();
  Http2Client client(server_->port());
  EXPECT_EQ(client.Get("/").status, 200U);
  EXPECT_EQ(nghttp2_session_get_remote_settings(client.session(),
                                                NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS),
            Http2Connection::kMostStreams);
  // Streams that were reset count as long as their handlers run.
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < Http2Connection::kMostStreams; ++i) {
    ids.push_back(client.Send({.path = "/wait"}));
  }
  routes_.WaitForWaiting(Http2Connection::kMostStreams);
  for (int i = 0; i < 3; ++i) client.Reset(ids[static_cast<std::size_t>(i)]);
  EXPECT_EQ(client.Get("/").reset, NGHTTP2_REFUSED_STREAM);
  routes_.released = true;
  EXPECT_EQ(client.Finish(ids.back()).body, "released");
  observer_.WaitForRequests(Http2Connection::kMostStreams + 1);
  EXPECT_EQ(client.Get("/").status, 200U);
}

TEST_P(Http2LimitsTest, RequestsAtOnceCountForTheirAddress) {
  Start({.max_connections_per_address = 3});
  Http2Client first(server_->port());
  const std::int32_t waiting = first.Send({.path = "/wait"});
  first.Send({.path = "/wait"});
  routes_.WaitForWaiting(2);
  // Two requests of one connection and another connection: three.
  Http2Client second(server_->port());
  second.Send({.path = "/wait"});
  routes_.WaitForWaiting(3);
  const Http2Answer refused = second.Get("/");
  EXPECT_EQ(refused.status, 429U);
  EXPECT_EQ(refused.Get("retry-after"), "1");
  EXPECT_EQ(observer_.WaitForRequests(1)[0].limit, "limits.connections_per_address");
  RawClient third(server_->port(), ClientOptions());
  EXPECT_EQ(third.ReadToEnd(), "");
  EXPECT_EQ(observer_.WaitForRefusals(1).front(), "connections_per_address");
  RawClient::Options elsewhere;
  elsewhere.source = "127.0.0.2";
  EXPECT_EQ(Http2Client(server_->port(), elsewhere).Get("/").status, 200U);
  routes_.released = true;
  EXPECT_EQ(first.Finish(waiting).body, "released");
  observer_.WaitForRequests(5);
  EXPECT_EQ(second.Get("/").status, 200U);
}

TEST_P(Http2LimitsTest, OneConnectionMayHaveAsManyRequestsAsItsAddress) {
  Start({.max_connections_per_address = 3});
  Http2Client client(server_->port());
  EXPECT_EQ(client.Get("/").status, 200U);
  EXPECT_EQ(nghttp2_session_get_remote_settings(client.session(),
                                                NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS),
            3U);
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(client.Send({.path = "/wait"}));
  routes_.WaitForWaiting(3);
  client.Reset(ids[0]);
  EXPECT_EQ(client.Get("/").reset, NGHTTP2_REFUSED_STREAM);
  routes_.released = true;
  EXPECT_EQ(client.Finish(ids[1]).body, "released");
  EXPECT_EQ(client.Finish(ids[2]).body, "released");
}

TEST_P(Http2LimitsTest, BehindAProxyEachClientHasItsOwnLimit) {
  Start({.trusted_proxies = {"127.0.0.0/8"}, .max_connections_per_address = 2});
  auto behind = [](std::string client, std::string path) {
    return Http2Request{.path = std::move(path),
                        .fields = {{"x-forwarded-for", std::move(client)}}};
  };
  Http2Client proxy(server_->port());
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 2; ++i) ids.push_back(proxy.Send(behind("203.0.113.7", "/wait")));
  routes_.WaitForWaiting(2);
  EXPECT_EQ(proxy.Ask(behind("203.0.113.7", "/")).status, 429U);
  EXPECT_EQ(proxy.Ask(behind("203.0.113.8", "/")).status, 200U);
  EXPECT_EQ(proxy.Get("/").status, 200U) << "of the proxy itself";
  routes_.released = true;
  for (std::int32_t id : ids) EXPECT_EQ(proxy.Finish(id).body, "released");
  observer_.WaitForRequests(5);
  EXPECT_EQ(proxy.Ask(behind("203.0.113.7", "/")).status, 200U);
}

TEST_P(Http2LimitsTest, ClosesIdleConnections) {
  Start({.header_deadline = milliseconds(60'000), .idle_timeout = milliseconds(300)});
  Http2Client fresh(server_->port());
  EXPECT_FALSE(fresh.ReadUntil([] { return false; }));
  EXPECT_EQ(fresh.goaway(), NGHTTP2_NO_ERROR);
  Http2Client used(server_->port());
  EXPECT_TRUE(used.Get("/file").body == routes_.file_bytes);
  EXPECT_FALSE(used.ReadUntil([] { return false; }));
  EXPECT_EQ(used.goaway_last(), 1);
}

TEST_P(Http2LimitsTest, GivesAHeadSoLong) {
  Start({.header_deadline = milliseconds(300)});
  struct Case {
    std::string_view name;
    std::string bytes;
  };
  const Case kCases[] = {
      {"nothing", ""},
      {"half a preface", Http2Preface().substr(0, 10)},
      {"no settings", Http2Preface().substr(0, 24)},
      {"half a head", Http2Preface() + SmallRequest(1, "/").substr(0, 20)},
      {"a head without an end", Http2Preface() + MakeFrame(NGHTTP2_HEADERS, 0, 1, "")},
  };
  for (const Case& c : kCases) {
    RawClient::Options options = ClientOptions();
    options.protocols = {"h2"};
    RawClient raw(server_->port(), options);
    raw.Send(c.bytes);
    EXPECT_NE(raw.WaitForEnd(), RawClient::End::kStillOpen) << c.name;
  }
}

TEST_P(Http2LimitsTest, GivesUpOnStalledBodies) {
  Start({.body_stall_timeout = milliseconds(300)});
  Http2Client client(server_->port());
  client.SendFirst(SmallRequest(1, "/upload", false) + MakeFrame(NGHTTP2_DATA, 0, 1, "abc"));
  EXPECT_EQ(client.Finish(1).status, 408U);
  EXPECT_EQ(observer_.WaitForRequests(1)[0].limit, "timeouts.body_stall");
}

TEST_P(Http2LimitsTest, GivesUpOnABodySlowerThanTheLeastRate) {
  Start({.body_stall_timeout = milliseconds(500), .min_body_rate = 1'000'000});
  Http2Client client(server_->port());
  client.SendFirst(SmallRequest(1, "/upload", false));
  // Never stalls; the test is about the pace.
  while (observer_.request_count() == 0 &&
         client.raw().Send(MakeFrame(NGHTTP2_DATA, 0, 1, std::string(1, 'x')))) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(client.Finish(1).status, 408U);
  EXPECT_EQ(observer_.WaitForRequests(1)[0].limit, "fixed.body_rate");
}

TEST_P(Http2LimitsTest, ResetsStreamsThatTheClientDoesNotRead) {
  Start({.send_stall_timeout = milliseconds(300)});
  Http2Client client(server_->port());
  std::vector<std::int32_t> ids;
  for (std::string path : {"/large-doc", "/file", "/stream"}) {
    ids.push_back(client.Send({.path = path, .reads = false}));
  }
  for (std::int32_t id : ids) {
    Http2Answer answer = client.Finish(id);
    EXPECT_EQ(answer.reset, NGHTTP2_CANCEL);
    EXPECT_LE(answer.body.size(), 65'535U);
  }
  for (const auto& seen : observer_.WaitForRequests(3)) EXPECT_TRUE(seen.cut_off) << seen.path;
}

TEST_P(Http2LimitsTest, CutsOffAClientThatReadsNothingAtAll) {
  Start({.send_stall_timeout = milliseconds(300)});
  RawClient::Options options;
  options.receive_buffer = 4096;
  Http2Client client(server_->port(), options);
  nghttp2_session_set_local_window_size(client.session(), NGHTTP2_FLAG_NONE, 0, 0x7fffffff);
  const nghttp2_settings_entry window{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0x7fffffff};
  nghttp2_submit_settings(client.session(), NGHTTP2_FLAG_NONE, &window, 1);
  client.Send({.path = "/huge-doc"});
  observer_.WaitForOpen(1);
  observer_.WaitForOpen(0);
  EXPECT_TRUE(observer_.WaitForRequests(1).back().cut_off);
}

INSTANTIATE_TEST_SUITE_P(Engine, Http2LimitsTest, testing::Values(Wire::kHttp2));

}  // namespace
}  // namespace koya::http
