// Archives: streamed, bounded, complete or not at all.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upstream/fetcher.h"
#include "upstream/upstream_fixture_fake.h"

namespace koya::upstream {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;
using std::chrono::milliseconds;

class ArchiveTest : public UpstreamTest {
 protected:
  Status Fetch(Fetcher& fetcher, const std::string& url, Deadline patience = {}) {
    taken_.clear();
    starts_.clear();
    ArchiveTransfer transfer{.url = url, .max_bytes = 1000, .patience = std::move(patience)};
    transfer.on_start = [this](std::optional<std::uint64_t> length) -> Status {
      starts_.push_back(length);
      return {};
    };
    transfer.sink = [this](std::span<const std::byte> bytes) -> Status {
      taken_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return {};
    };
    return fetcher.FetchArchive(transfer);
  }

  std::string taken_;
  std::vector<std::optional<std::uint64_t>> starts_;
};

using Starts = std::vector<std::optional<std::uint64_t>>;

TEST_F(ArchiveTest, TellsTheLengthAndThenTheBytes) {
  auto server = Serve({.body = "bytes"});
  auto fetcher = MakeFetcher();
  auto fetched = Fetch(*fetcher, server->url() + "/a.zip");
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(taken_, "bytes");
  EXPECT_EQ(starts_, Starts{5});
  ScriptedRequest seen = server->requests().at(0);
  EXPECT_FALSE(seen.fields.contains("accept-encoding"));
  EXPECT_FALSE(seen.fields.contains("authorization"));
}

TEST_F(ArchiveTest, TakesEmptyAndChunkedOnes) {
  auto fetcher = MakeFetcher();
  auto empty = Serve(ScriptedAnswer{});
  ASSERT_TRUE(Fetch(*fetcher, empty->url()));
  EXPECT_EQ(starts_, Starts{0});
  auto chunked = Serve(
      {.raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbytes\r\n0\r\n\r\n"});
  ASSERT_TRUE(Fetch(*fetcher, chunked->url()));
  EXPECT_EQ(starts_, Starts{std::nullopt});
  EXPECT_EQ(taken_, "bytes");
}

TEST_F(ArchiveTest, TakesASlowOneAsLongAsBytesArrive) {
  auto server = Serve({.body = std::string(30, 'x'), .pause = milliseconds(20)});
  auto fetcher = MakeFetcher();
  auto fetched = Fetch(*fetcher, server->url());
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(taken_.size(), 30u);
}

TEST_F(ArchiveTest, FollowsRedirectsToOtherHosts) {
  auto store = Serve({.body = "bytes"});
  auto server = Serve(
      {.status = 302, .fields = {{"Location", store->url() + "/blob?sig=1"}}, .body = "moved"});
  auto fetcher = MakeFetcher();
  ASSERT_TRUE(Fetch(*fetcher, server->url()));
  EXPECT_EQ(taken_, "bytes");
  EXPECT_EQ(starts_.size(), 1u);
  EXPECT_EQ(store->requests().at(0).target, "/blob?sig=1");
}

struct Fault {
  std::string_view name;
  ScriptedAnswer answer;
  ErrorKind kind;
  std::string_view words;
  std::size_t requests = 1;
  std::string_view taken = {};
};

std::vector<Fault> Faults() {
  using enum ErrorKind;
  std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";
  auto to = [](std::string url) {
    return ScriptedAnswer{.status = 302, .fields = {{"Location", std::move(url)}}};
  };
  return {
      {"404", {.status = 404}, kNotFound, "answered 404"},
      {"401", {.status = 401}, kBadUpstream, "answered 401"},
      {"429", {.status = 429, .fields = {{"Retry-After", "60"}}}, kUnavailable, "answered 429"},
      {"500", {.status = 500}, kBadUpstream, "answered 500", 2},
      {"204", {.status = 204}, kBadUpstream, "answered 204"},
      {"206", {.status = 206, .body = "by"}, kBadUpstream, "answered 206"},
      {"dropped", {.silent = true}, kBadUpstream, "could not be fetched", 2},
      {"truncated",
       {.raw = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbytes"},
       kBadUpstream,
       "could not be fetched",
       1,
       "bytes"},
      {"chunks cut off", {.raw = chunked + "\r\n9\r\nbytes"}, kBadUpstream, "fetched", 1, "bytes"},
      {"chunks without an end",
       {.raw = chunked + "\r\n5\r\nbytes\r\n"},
       kBadUpstream,
       "could not be fetched",
       1,
       "bytes"},
      {"longer than announced",
       {.raw = chunked + "Content-Length: 3\r\n\r\n5\r\nbytes\r\n0\r\n\r\n"},
       kBadUpstream,
       "longer than the 3 bytes"},
      {"shorter than announced",
       {.raw = chunked + "Content-Length: 9\r\n\r\n5\r\nbytes\r\n0\r\n\r\n"},
       kBadUpstream,
       "ended after 5 of the 9 bytes",
       1,
       "bytes"},
      {"announced too large", {.body = std::string(1001, 'x')}, kTooLarge, "has 1001 bytes"},
      {"too large",
       {.raw = chunked + "\r\n3e9\r\n" + std::string(1001, 'x') + "\r\n0\r\n\r\n"},
       kTooLarge,
       "larger than 1000 bytes"},
      {"packed",
       {.fields = {{"Content-Encoding", "gzip"}}, .body = "bytes"},
       kBadUpstream,
       "Content-Encoding: gzip"},
      {"hangs before its head", {.silent = true, .held = true}, kUpstreamTimeout, "too slow"},
      {"hangs in its body",
       {.raw = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbytes", .held = true},
       kUpstreamTimeout,
       "too slow",
       1,
       "bytes"},
      {"a loop", to("/x"), kBadUpstream, "more than 10 redirects", 11},
      {"plain http", to("http://127.0.0.1:1/"), kBadUpstream, "not https"},
      {"a file", to("file:///etc/passwd"), kBadUpstream, "not a URL to fetch"},
      {"private", to("https://192.168.1.1/"), kBadUpstream, "192.168.1.1 is a private address"},
  };
}

TEST_F(ArchiveTest, SaysWhatEachFaultIs) {
  for (const Fault& fault : Faults()) {
    std::unique_ptr<ScriptedServer> server;
    Status fetched;
    for (milliseconds patience : kPatience) {
      bool hangs = fault.kind == ErrorKind::kUpstreamTimeout;
      server = Serve(fault.answer);
      auto fetcher = MakeFetcher(hangs ? HastyOptions(patience) : Options());
      fetched = Fetch(*fetcher, server->url() + "/x?sig=secret");
      if (!hangs || (!server->requests().empty() && taken_ == fault.taken)) break;
    }
    ASSERT_FALSE(fetched) << fault.name;
    EXPECT_EQ(fetched.error().kind, fault.kind) << fault.name << ": " << fetched.error().message;
    const std::string& message = fetched.error().message;
    EXPECT_NE(message.find(fault.words), std::string::npos) << fault.name << ": " << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << fault.name << ": " << message;
    EXPECT_EQ(server->requests().size(), fault.requests) << fault.name;
    if (!fault.taken.empty()) EXPECT_EQ(taken_, fault.taken) << fault.name;
    EXPECT_LE(starts_.size(), 1u) << fault.name;
  }
}

TEST_F(ArchiveTest, TheBodyOfAFailedAnswerIsNotCollected) {
  auto server = Serve({.raw = "HTTP/1.1 404 Not Found\r\nContent-Length: 300000000\r\n\r\n" +
                              std::string(100'000, 'x'),
                       .held = true});
  auto fetcher = MakeFetcher();
  auto fetched = Fetch(*fetcher, server->url());
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kNotFound) << fetched.error().message;
}

TEST_F(ArchiveTest, AnArchiveThatTricklesEndsWithItsTime) {
  ScriptedAnswer trickle{.body = std::string(1000, 'x'), .pause = milliseconds(100)};
  for (bool of_options : {true, false}) {
    UpstreamOptions options = Options();
    if (of_options) options.archive_timeout = milliseconds(1000);
    auto server = Serve(trickle);
    auto fetcher = MakeFetcher(options);
    Deadline patience;
    if (!of_options) patience.deadline = clock_.Now() + milliseconds(1000);
    auto fetched = Fetch(*fetcher, server->url(), patience);
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().kind, ErrorKind::kUpstreamTimeout) << fetched.error().message;
  }
}

TEST_F(ArchiveTest, EndsAtOnceWhenItIsGivenUp) {
  std::stop_source stop;
  auto server = Serve({.raw = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbytes", .held = true});
  auto fetcher = MakeFetcher();
  ArchiveTransfer transfer{.url = server->url(), .patience = {.stop = stop.get_token()}};
  transfer.sink = [&](std::span<const std::byte>) -> Status {
    stop.request_stop();
    return {};
  };
  auto fetched = fetcher->FetchArchive(transfer);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kUnavailable) << fetched.error().message;
}

TEST_F(ArchiveTest, DoesNotWaitForArchivesThatAreSaidToComeLater) {
  auto server = Serve({.status = 503, .fields = {{"Retry-After", "600"}}});
  auto fetcher = MakeFetcher();
  EXPECT_FALSE(Fetch(*fetcher, server->url()));
  EXPECT_EQ(clock_.waited().count(), 0);
}

TEST_F(ArchiveTest, GivesNothingBeyondWhatWasAnnounced) {
  auto server = Serve({.raw = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbytes and more"});
  auto fetcher = MakeFetcher();
  ASSERT_TRUE(Fetch(*fetcher, server->url()));
  EXPECT_EQ(taken_, "bytes");
}

TEST_F(ArchiveTest, TriesAgainWhileNoByteHasCome) {
  int asked = 0;
  auto server = Serve([&](const ScriptedRequest&) {
    return asked++ == 0 ? ScriptedAnswer{.status = 503} : ScriptedAnswer{.body = "bytes"};
  });
  auto fetcher = MakeFetcher();
  ASSERT_TRUE(Fetch(*fetcher, server->url()));
  EXPECT_EQ(taken_, "bytes");
  EXPECT_EQ(starts_, Starts{5});
}

TEST_F(ArchiveTest, HandsOnWhatTheCallerFailedWith) {
  auto server = Serve({.body = "bytes"});
  UpstreamOptions options = Options();
  options.breaker_failures = 1;
  auto fetcher = MakeFetcher(options);
  const Error kFull{ErrorKind::kStorageFull, "the disk is full", {}};
  ArchiveTransfer transfer{.url = server->url()};
  transfer.sink = [&](std::span<const std::byte>) -> Status { return Failure(kFull); };
  EXPECT_EQ(fetcher->FetchArchive(transfer).error(), kFull);
  transfer.on_start = [](std::optional<std::uint64_t>) -> Status {
    return FailUnavailable("nobody waits any more");
  };
  EXPECT_EQ(fetcher->FetchArchive(transfer).error().message, "nobody waits any more");
  EXPECT_EQ(server->requests().size(), 2u);
  EXPECT_TRUE(Fetch(*fetcher, server->url())) << "that was not the host's doing";
}

TEST_F(ArchiveTest, RefusesUrlsThatAreNone) {
  auto fetcher = MakeFetcher();
  for (std::string url : {"", "a.zip", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1/"}) {
    auto fetched = Fetch(*fetcher, url);
    ASSERT_FALSE(fetched) << url;
    EXPECT_EQ(fetched.error().kind, ErrorKind::kBadUpstream) << url;
  }
}

}  // namespace
}  // namespace koya::upstream
