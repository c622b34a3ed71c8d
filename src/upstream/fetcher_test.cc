// Fetching documents from upstreams that behave, and from every kind that does not.
#include "upstream/fetcher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "upstream/upstream_fixture_fake.h"

namespace koya::upstream {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;
using std::chrono::milliseconds;

class FetcherTest : public UpstreamTest {
 protected:
  DocumentRequest Ask(const Fetcher& fetcher, const std::string& url, std::string token = {}) {
    return {.url = *http::ParseUrl(url),
            .what = "the document",
            .token = std::move(token),
            .max_bytes = 1000,
            .patience = fetcher.ForDocuments({})};
  }
  Result<Document> Get(Fetcher& fetcher, const std::string& url, std::string token = {}) {
    return fetcher.Get(Ask(fetcher, url, std::move(token)));
  }
};

ScriptedAnswer StatusAnswer(unsigned status, std::string_view retry_after = {}) {
  ScriptedAnswer answer{.status = status};
  if (!retry_after.empty()) answer.fields.emplace_back("Retry-After", retry_after);
  return answer;
}

ScriptedAnswer RedirectTo(std::string location, unsigned status = 302) {
  return {.status = status, .fields = {{"Location", std::move(location)}}};
}

struct ExchangeFault {
  std::string_view name;
  ScriptedAnswer answer;
  ErrorKind kind;
  std::string_view words;
  std::size_t requests = 1;
  unsigned retry_after = 0;
};

std::vector<ExchangeFault> Statuses() {
  using enum ErrorKind;
  return {
      {"404", StatusAnswer(404), kNotFound, "answered 404"},
      {"410", StatusAnswer(410), kNotFound, "answered 410"},
      {"401", StatusAnswer(401), kBadUpstream,
       "answered 401: it requires a token; configure one for 127.0.0.1"},
      {"403", StatusAnswer(403), kBadUpstream, "answered 403: it requires a token"},
      {"429", StatusAnswer(429), kUnavailable, "answered 429: it wants fewer requests", 2, 10},
      {"429, soon", StatusAnswer(429, "0"), kUnavailable, "answered 429", 2, 1},
      {"429, later", StatusAnswer(429, "120"), kUnavailable, "answered 429", 1, 120},
      {"429, on a day", StatusAnswer(429, "Sun, 15 Jun 2025 15:07:20 GMT"), kUnavailable, "429", 1,
       40},
      {"429, some time", StatusAnswer(429, "soon"), kUnavailable, "answered 429", 2, 10},
      {"500", StatusAnswer(500), kBadUpstream, "answered 500", 2},
      {"501", StatusAnswer(501), kBadUpstream, "answered 501", 1},
      {"502", StatusAnswer(502), kBadUpstream, "answered 502", 2},
      {"503", StatusAnswer(503), kBadUpstream, "answered 503", 2},
      {"503, later", StatusAnswer(503, "60"), kBadUpstream, "answered 503", 1},
      {"504", StatusAnswer(504), kBadUpstream, "answered 504", 2},
      {"204", StatusAnswer(204), kBadUpstream, "answered 204"},
      {"206", StatusAnswer(206), kBadUpstream, "answered 206"},
      {"304 unasked", StatusAnswer(304), kBadUpstream, "answered 304"},
      {"418", StatusAnswer(418), kBadUpstream, "answered 418"},
  };
}

std::vector<ExchangeFault> Connections() {
  using enum ErrorKind;
  std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
  ScriptedAnswer trickle{.body = std::string(500, 'x'), .pause = milliseconds(20)};
  return {
      {"dropped", {.silent = true}, kBadUpstream, "could not be fetched", 2},
      {"no HTTP", {.raw = "hello\r\n\r\n"}, kBadUpstream, "could not be fetched", 2},
      {"half a head", {.raw = "HTTP/1.1 200 O"}, kBadUpstream, "could not be fetched", 2},
      {"truncated", {.raw = head + "{\"a\":"}, kBadUpstream, "could not be fetched", 2},
      {"hangs before its head", {.silent = true, .held = true}, kUpstreamTimeout, "too slow"},
      {"hangs in its head", {.raw = head.substr(0, 20), .held = true}, kUpstreamTimeout, "slow"},
      {"hangs in its body", {.raw = head + "{", .held = true}, kUpstreamTimeout, "too slow"},
      {"trickles", trickle, kUpstreamTimeout, "too slow"},
      {"too large", {.body = std::string(1001, 'x')}, kBadUpstream, "larger than 1000 bytes"},
      {"endless",
       {.raw = "HTTP/1.1 200 OK\r\n\r\n" + std::string(99999, 'x'), .held = true},
       kBadUpstream,
       "larger than 1000 bytes"},
  };
}

std::vector<ExchangeFault> Redirects() {
  using enum ErrorKind;
  return {
      {"nowhere", StatusAnswer(302), kBadUpstream, "redirects without a target"},
      {"a loop", RedirectTo("/x"), kBadUpstream, "behind more than 10 redirects", 11},
      {"plain http", RedirectTo("http://127.0.0.1:1/?sig=secret"), kBadUpstream, "not https"},
      {"a file", RedirectTo("file:///etc/passwd"), kBadUpstream, "which is not a URL to fetch"},
      {"ftp", RedirectTo("ftp://127.0.0.1/x"), kBadUpstream, "not https"},
      {"gopher", RedirectTo("gopher://127.0.0.1:70/_x"), kBadUpstream, "not https"},
      {"no URL", RedirectTo("https://"), kBadUpstream, "which is not a URL to fetch"},
      {"a password", RedirectTo("https://u:secret@127.0.0.1/x"), kBadUpstream, "user name"},
      {"private", RedirectTo("https://10.0.0.1/x"), kBadUpstream, "10.0.0.1 is a private address"},
      {"metadata service", RedirectTo("https://169.254.169.254/latest", 307), kBadUpstream,
       "upstream.allow_private_addresses"},
      {"loopback of IPv6", RedirectTo("https://[::1]/x", 308), kBadUpstream, "::1 is a loopback"},
      {"mapped", RedirectTo("https://[::ffff:10.0.0.1]/x", 301), kBadUpstream, "a private"},
      {"a number", RedirectTo("https://167772161/x", 303), kBadUpstream, "10.0.0.1 is a private"},
  };
}

TEST_F(FetcherTest, SaysWhatEachFaultIs) {
  std::vector<ExchangeFault> faults = Statuses();
  for (auto& list : {Connections(), Redirects()})
    faults.insert(faults.end(), list.begin(), list.end());
  for (const ExchangeFault& fault : faults) {
    std::unique_ptr<ScriptedServer> server;
    Result<Document> document;
    for (milliseconds patience : kPatience) {
      bool hangs = fault.kind == ErrorKind::kUpstreamTimeout;
      server = Serve(fault.answer);
      auto fetcher = MakeFetcher(hangs ? HastyOptions(patience) : Options());
      document = Get(*fetcher, server->url() + "/x?sig=secret");
      if (!hangs || !server->requests().empty()) break;
    }
    ASSERT_FALSE(document) << fault.name;
    EXPECT_EQ(document.error().kind, fault.kind) << fault.name << ": " << document.error().message;
    const std::string& message = document.error().message;
    EXPECT_NE(message.find(fault.words), std::string::npos) << fault.name << ": " << message;
    EXPECT_NE(message.find("the document"), std::string::npos) << fault.name << ": " << message;
    EXPECT_NE(message.find("127.0.0.1"), std::string::npos) << fault.name << ": " << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << fault.name << ": " << message;
    EXPECT_EQ(server->requests().size(), fault.requests) << fault.name;
    EXPECT_EQ(document.error().retry_after, fault.retry_after) << fault.name;
  }
}

TEST_F(FetcherTest, SaysThatNothingListens) {
  std::string url = Serve(StatusAnswer(200))->url();
  auto fetcher = MakeFetcher();
  auto document = Get(*fetcher, url);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::kBadUpstream);
  EXPECT_NE(document.error().message.find("cannot connect to"), std::string::npos);
  EXPECT_GT(clock_.waited().count(), 0) << "one retry";
}

TEST_F(FetcherTest, RefusesPrivateAddressesByWhatIsConnectedTo) {
  auto server = Serve(StatusAnswer(200));
  UpstreamOptions options = Options();
  options.allow_private_addresses.clear();
  auto fetcher = MakeFetcher(options);
  for (std::string host : {"127.0.0.1", "localhost", "127.1", "0x7f.1"}) {
    auto document = Get(*fetcher, fmt::format("https://{}:{}/", host, server->port()));
    ASSERT_FALSE(document) << host;
    EXPECT_EQ(document.error().kind, ErrorKind::kBadUpstream);
    EXPECT_NE(document.error().message.find("is a loopback address"), std::string::npos)
        << document.error().message;
  }
  EXPECT_TRUE(server->requests().empty());
  EXPECT_EQ(clock_.waited().count(), 0) << "a second try would end the same";
}

TEST_F(FetcherTest, RefusesCertificatesThatAreNotTrusted) {
  auto server = Serve(StatusAnswer(200));
  UpstreamOptions options = Options();
  options.ca_file.clear();
  auto fetcher = MakeFetcher(options);
  auto document = Get(*fetcher, server->url());
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::kBadUpstream);
  EXPECT_NE(document.error().message.find("is not trusted"), std::string::npos);
  EXPECT_NE(document.error().message.find("upstream.ca_file"), std::string::npos);
  EXPECT_EQ(clock_.waited().count(), 0);
}

TEST_F(FetcherTest, RefusesOptionsThatCannotBeRead) {
  UpstreamOptions options = Options();
  options.allow_private_addresses = {"home"};
  auto fetcher = Fetcher::Create(options, clock_);
  ASSERT_FALSE(fetcher);
  EXPECT_EQ(fetcher.error().kind, ErrorKind::kInvalid);
}

TEST_F(FetcherTest, TriesOnceMore) {
  for (ScriptedAnswer first :
       {StatusAnswer(500), StatusAnswer(429, "0"), ScriptedAnswer{.silent = true}}) {
    int asked = 0;
    auto server = Serve([&](const ScriptedRequest&) {
      return asked++ == 0 ? first : ScriptedAnswer{.body = "here"};
    });
    auto fetcher = MakeFetcher();
    auto document = Get(*fetcher, server->url());
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->body, "here");
  }
}

TEST_F(FetcherTest, WaitsAsLongAsUpstreamSaysWhenThereIsTime) {
  int asked = 0;
  auto server = Serve([&](const ScriptedRequest&) {
    return asked++ == 0 ? StatusAnswer(503, "2") : ScriptedAnswer{.body = "here"};
  });
  auto fetcher = MakeFetcher();
  ASSERT_TRUE(Get(*fetcher, server->url()));
  EXPECT_EQ(clock_.waited(), milliseconds(2000));
}

TEST_F(FetcherTest, EndlessTricklesEndWithTheTimeOfTheDocument) {
  std::string fields;
  while (fields.size() < 10'000) fields += "X: y\r\n";
  const milliseconds kPause(10);
  for (const ScriptedAnswer& endless :
       {ScriptedAnswer{.body = std::string(10'000, ' '), .pause = kPause},
        ScriptedAnswer{.raw = "HTTP/1.1 200 OK\r\n" + fields, .pause = kPause},
        ScriptedAnswer{.raw = "HTTP/1.1 404 Not Found\r\n\r\n" + fields, .pause = kPause}}) {
    for (milliseconds patience : kPatience) {
      auto server = Serve(endless);
      auto fetcher = MakeFetcher(HastyOptions(patience));
      auto document = Get(*fetcher, server->url());
      ASSERT_FALSE(document);
      EXPECT_EQ(document.error().kind, ErrorKind::kUpstreamTimeout) << document.error().message;
      if (!server->requests().empty()) break;
    }
  }
}

TEST_F(FetcherTest, EndsAtOnceWhenItIsGivenUp) {
  std::stop_source stop;
  std::atomic<bool> hang = true;
  auto server = Serve([&](const ScriptedRequest&) {
    if (hang) stop.request_stop();
    return ScriptedAnswer{.body = "here", .silent = hang.load(), .held = hang.load()};
  });
  UpstreamOptions options = Options();
  options.breaker_failures = 1;
  auto fetcher = MakeFetcher(options);
  DocumentRequest request = Ask(*fetcher, server->url());
  request.patience.stop = stop.get_token();
  auto document = fetcher->Get(request);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::kUnavailable);
  EXPECT_NE(document.error().message.find("is stopping"), std::string::npos);
  EXPECT_EQ(server->requests().size(), 1u) << "nothing is tried again";
  hang = false;
  EXPECT_TRUE(Get(*fetcher, server->url())) << "that was not the host's doing";
  SystemExchangeClock().Wait(std::chrono::hours(1), stop.get_token());
}

TEST_F(FetcherTest, AsksNothingWhenTheTimeIsOver) {
  auto server = Serve(StatusAnswer(200));
  auto fetcher = MakeFetcher();
  DocumentRequest request = Ask(*fetcher, server->url());
  clock_.Advance(std::chrono::seconds(30));
  auto document = fetcher->Get(request);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::kUpstreamTimeout);
  EXPECT_TRUE(server->requests().empty());
}

TEST_F(FetcherTest, AHostThatThereWasNoTimeToAskHasNotFailed) {
  auto server = Serve(StatusAnswer(200));
  auto before = Serve(Respond([&](const ScriptedRequest&) {
    clock_.Advance(std::chrono::seconds(30));
    return RedirectTo(server->url());
  }));
  UpstreamOptions options = Options();
  options.breaker_failures = 1;
  auto fetcher = MakeFetcher(options);
  DocumentRequest late = Ask(*fetcher, server->url());
  clock_.Advance(std::chrono::seconds(30));
  for (const DocumentRequest& request : {late, Ask(*fetcher, before->url())}) {
    auto document = fetcher->Get(request);
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().kind, ErrorKind::kUpstreamTimeout) << document.error().message;
    EXPECT_EQ(document.error().limit.text(), "upstream.timeout");
    auto asked = Get(*fetcher, server->url());
    EXPECT_TRUE(asked) << asked.error().message;
  }
}

TEST_F(FetcherTest, SaysWhereTheAnswerCameFromAndWhatItWasSentWith) {
  auto server = Serve([](const ScriptedRequest& request) -> ScriptedAnswer {
    if (request.target == "/a/b") return RedirectTo("../c/d?e=f");
    return {.fields = {{"ETag", "\"1\""},
                       {"Last-Modified", "Sun, 15 Jun 2025 15:07:20 GMT"},
                       {"Content-Type", "text/x"}},
            .body = "here"};
  });
  auto fetcher = MakeFetcher();
  DocumentRequest request = Ask(*fetcher, server->url() + "/a/b");
  request.fields = {{"X-Own", "1"}};
  auto document = fetcher->Get(request);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->url.ToString(), server->url() + "/c/d?e=f");
  EXPECT_EQ(document->content_type, "text/x");
  EXPECT_FALSE(document->unchanged);
  EXPECT_EQ(document->validators, (Validators{"\"1\"", "Sun, 15 Jun 2025 15:07:20 GMT"}));
  ScriptedRequest seen = server->requests().at(1);
  EXPECT_EQ(seen.fields["user-agent"], "koya-test");
  EXPECT_EQ(seen.fields["accept-encoding"], "gzip");
  EXPECT_EQ(seen.fields["x-own"], "1");
  EXPECT_FALSE(seen.fields.contains("if-none-match"));
  EXPECT_FALSE(seen.fields.contains("authorization"));
}

TEST_F(FetcherTest, AsksWhetherADocumentChanged) {
  auto server = Serve([](const ScriptedRequest& request) -> ScriptedAnswer {
    auto field = request.fields.find("if-none-match");
    bool same = field != request.fields.end() && field->second == "\"1\"";
    if (same) return {.raw = "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n"};
    return {.fields = {{"ETag", "\"2\""}}, .body = "new"};
  });
  auto fetcher = MakeFetcher();
  DocumentRequest request = Ask(*fetcher, server->url());
  request.held = {"\"1\"", "Sun, 15 Jun 2025 15:07:20 GMT"};
  auto document = fetcher->Get(request);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_TRUE(document->unchanged);
  EXPECT_EQ(document->body, "");
  EXPECT_EQ(document->validators.etag, "\"1\"");
  EXPECT_EQ(server->requests().at(0).fields["if-modified-since"], request.held.last_modified);
  request.held = {"\"0\"", ""};
  document = fetcher->Get(request);
  ASSERT_TRUE(document);
  EXPECT_FALSE(document->unchanged);
  EXPECT_EQ(document->body, "new");
  EXPECT_EQ(document->validators.etag, "\"2\"");
}

TEST_F(FetcherTest, KeepsNoValidatorsThatCouldNotBeSentBack) {
  auto server =
      Serve({.fields = {{"ETag", "\"\xc3\xa9\""}, {"Last-Modified", std::string(2000, 'x')}},
             .body = "here"});
  auto fetcher = MakeFetcher();
  auto document = Get(*fetcher, server->url());
  ASSERT_TRUE(document);
  EXPECT_EQ(document->validators, Validators());
}

TEST_F(FetcherTest, ReadsGzip) {
  // "here", by gzip -n.
  std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\x2d\x4a\x05\x00\x98\x87\x1b\xb1\x04\x00\x00"
      "\x00",
      24);
  auto server = Serve({.fields = {{"Content-Encoding", "gzip"}}, .body = packed});
  auto fetcher = MakeFetcher();
  auto document = Get(*fetcher, server->url());
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->body, "here");
}

// ---- tokens ----

TEST_F(FetcherTest, SendsTheTokenToItsHostOnly) {
  auto other = Serve([](const ScriptedRequest& request) -> ScriptedAnswer {
    if (request.target == "/back") return RedirectTo(request.fields.at("x-home") + "/end");
    return {.body = "here"};
  });
  auto home = Serve([&](const ScriptedRequest& request) -> ScriptedAnswer {
    if (request.target == "/same") return RedirectTo("/end");
    if (request.target == "/away") return RedirectTo(other->url() + "/end");
    if (request.target == "/round") return RedirectTo(other->url() + "/back");
    return {.body = "here"};
  });
  auto fetcher = MakeFetcher();
  for (std::string path : {"/end", "/same", "/away", "/round"}) {
    DocumentRequest request = Ask(*fetcher, home->url() + path, "t0ken");
    request.fields = {{"X-Home", home->url()}};
    ASSERT_TRUE(fetcher->Get(request)) << path;
  }
  for (const ScriptedRequest& request : other->requests()) {
    EXPECT_FALSE(request.fields.contains("authorization")) << request.target;
  }
  auto seen = home->requests();
  ASSERT_EQ(seen.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(seen[i].fields["authorization"], "Bearer t0ken") << seen[i].target;
  }
  EXPECT_FALSE(seen[5].fields.contains("authorization")) << "after it was elsewhere";
}

TEST_F(FetcherTest, SaysThatTheTokenWasRefusedAndNeverShowsIt) {
  auto server = Serve(StatusAnswer(403));
  auto fetcher = MakeFetcher();
  auto document = Get(*fetcher, server->url(), "t0ken");
  ASSERT_FALSE(document);
  EXPECT_NE(document.error().message.find("the token that is stored for 127.0.0.1"),
            std::string::npos)
      << document.error().message;
  EXPECT_EQ(document.error().message.find("t0ken"), std::string::npos);
  EXPECT_EQ(document.error().detail.find("t0ken"), std::string::npos);
}

// ---- cached failures ----

TEST_F(FetcherTest, BelievesThatSomethingIsMissingForAWhile) {
  auto server = Serve(StatusAnswer(404));
  auto fetcher = MakeFetcher();
  for (int i = 0; i < 3; ++i) {
    auto document = Get(*fetcher, server->url() + "/a");
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().kind, ErrorKind::kNotFound);
  }
  EXPECT_EQ(server->requests().size(), 1u);
  EXPECT_FALSE(Get(*fetcher, server->url() + "/b"));
  EXPECT_EQ(server->requests().size(), 2u);
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_FALSE(Get(*fetcher, server->url() + "/a"));
  EXPECT_EQ(server->requests().size(), 3u);
}

TEST_F(FetcherTest, LeavesAFailingHostAloneAndNoticesThatItIsBack) {
  std::atomic<bool> well = false;
  auto server = Serve([&](const ScriptedRequest&) {
    return well ? ScriptedAnswer{.body = "here"} : StatusAnswer(500);
  });
  UpstreamOptions options = Options();
  options.breaker_failures = 2;
  auto fetcher = MakeFetcher(options);
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(Get(*fetcher, server->url()));
  EXPECT_EQ(server->requests().size(), 4u);
  auto refused = Get(*fetcher, server->url());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(refused.error().retry_after, 15u);
  EXPECT_EQ(server->requests().size(), 4u);
  // Another host is asked as ever.
  auto other = Serve({.body = "here"});
  EXPECT_TRUE(Get(*fetcher, other->url()));
  well = true;
  clock_.Advance(std::chrono::seconds(15));
  EXPECT_TRUE(Get(*fetcher, server->url()));
  EXPECT_TRUE(Get(*fetcher, server->url()));
}

TEST_F(FetcherTest, CountsTimeoutsAndDropsAndNoOtherAnswers) {
  UpstreamOptions options = Options();
  options.breaker_failures = 1;
  for (const ScriptedAnswer& answer : {ScriptedAnswer{.silent = true, .held = true},
                                       ScriptedAnswer{.silent = true}, StatusAnswer(503)}) {
    auto server = Serve(answer);
    options.timeout = milliseconds(answer.held ? 300 : 30'000);
    auto fetcher = MakeFetcher(options);
    EXPECT_FALSE(Get(*fetcher, server->url()));
    auto refused = Get(*fetcher, server->url());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable) << refused.error().message;
  }
  for (const ScriptedAnswer& answer :
       {StatusAnswer(403), StatusAnswer(429, "60"), StatusAnswer(404), StatusAnswer(204),
        RedirectTo("file:///x"), RedirectTo("https://10.0.0.1/")}) {
    auto server = Serve(answer);
    auto fetcher = MakeFetcher(options);
    EXPECT_FALSE(Get(*fetcher, server->url() + "/a"));
    EXPECT_FALSE(Get(*fetcher, server->url() + "/b"));
    EXPECT_EQ(server->requests().size(), 2u) << answer.status;
  }
}

TEST_F(FetcherTest, ServesManyThreads) {
  auto server = Serve([](const ScriptedRequest& request) {
    return request.target == "/missing" ? StatusAnswer(404) : ScriptedAnswer{.body = "here"};
  });
  UpstreamOptions options = Options();
  options.timeout = milliseconds(20'000);
  auto fetcher = MakeFetcher(options);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        EXPECT_TRUE(Get(*fetcher, server->url()));
        EXPECT_FALSE(Get(*fetcher, server->url() + "/missing"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

using std::chrono::seconds;

constexpr SteadyTime kStart{};

TEST(NegativeCacheTest, BelievesForItsTime) {
  NegativeCache cache(seconds(10));
  EXPECT_FALSE(cache.FindFailure("a", kStart));
  cache.Remember("a", {ErrorKind::kNotFound, "no a", {}}, kStart);
  ASSERT_TRUE(cache.FindFailure("a", kStart + milliseconds(9999)));
  EXPECT_EQ(cache.FindFailure("a", kStart)->message, "no a");
  EXPECT_FALSE(cache.FindFailure("a", kStart + seconds(10)));
  EXPECT_FALSE(cache.FindFailure("b", kStart));
  cache.Remember("a", {ErrorKind::kNotFound, "still no a", {}}, kStart + seconds(9));
  EXPECT_EQ(cache.FindFailure("a", kStart + seconds(18))->message, "still no a");
  // What ends is the older of the two, not the entry.
  cache.Remember("b", {}, kStart + seconds(12));
  EXPECT_TRUE(cache.FindFailure("a", kStart + seconds(18)));
}

TEST(NegativeCacheTest, HoldsTheNewestOnly) {
  NegativeCache cache(seconds(10), 3);
  for (char name = 'a'; name <= 'e'; ++name) cache.Remember(std::string(1, name), {}, kStart);
  for (char name : {'a', 'b'})
    EXPECT_FALSE(cache.FindFailure(std::string(1, name), kStart)) << name;
  for (char name : {'c', 'd', 'e'})
    EXPECT_TRUE(cache.FindFailure(std::string(1, name), kStart)) << name;
  NegativeCache none(seconds(0));
  none.Remember("a", {}, kStart);
  EXPECT_FALSE(none.FindFailure("a", kStart));
}

}  // namespace
}  // namespace koya::upstream
