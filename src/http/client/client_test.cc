#include "http/client/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stop_token>
#include <string>
#include <vector>

#include "base/file.h"
#include "http/scripted_server_fake.h"

namespace koya::http {
namespace {

// A file without a name that holds `content`.
UniqueFd FileOf(std::string_view content) {
  std::string name = testing::TempDir() + "koya_client_test_XXXXXX";
  UniqueFd file(::mkostemp(name.data(), O_CLOEXEC));
  ::unlink(name.c_str());
  EXPECT_EQ(::write(file.get(), content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  return file;
}

TEST(ClientTest, GivesTheAnswerWithItsFields) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedAnswer{404, {{"X-Request-Id", " r1 "}, {"Content-Type", "text/x"}}, "no", {}};
  });
  Client client({.user_agent = "koya-test"});
  ClientRequest request{.url = server.url() + "/a?b=c", .fields = {{"Accept", "x/y"}}};
  Result<ClientResponse> response = client.Send(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 404u);
  EXPECT_EQ(response->body, "no");
  EXPECT_EQ(response->Get("x-request-id"), "r1");
  EXPECT_EQ(response->Get("absent"), std::nullopt);
  ScriptedRequest seen = server.requests().at(0);
  EXPECT_EQ(seen.method, "GET");
  EXPECT_EQ(seen.target, "/a?b=c");
  EXPECT_EQ(seen.fields["accept"], "x/y");
  EXPECT_EQ(seen.fields["user-agent"], "koya-test");
}

TEST(ClientTest, StreamsAFileAndTellsHowFarItIs) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer::Json(201, "{}"); });
  std::string content(3 << 20, 'x');
  UniqueFd file = FileOf(content);
  std::uint64_t sent = 0;
  ClientRequest request{.method = "PUT", .url = server.url() + "/up"};
  request.upload =
      FileUpload{file.get(), content.size(), [&sent](std::uint64_t bytes) { sent = bytes; }};
  Client client;
  Result<ClientResponse> response = client.Send(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201u);
  EXPECT_EQ(sent, content.size());
  ScriptedRequest seen = server.requests().at(0);
  EXPECT_EQ(seen.method, "PUT");
  EXPECT_EQ(seen.fields["expect"], "100-continue");
  EXPECT_TRUE(seen.body == content);
}

TEST(ClientTest, RefusesToSendAFileThatBecameShorter) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; });
  UniqueFd file = FileOf("short");
  ClientRequest request{.method = "PUT", .url = server.url()};
  request.upload = FileUpload{file.get(), 100, {}};
  Client client;
  Result<ClientResponse> response = client.Send(request);
  ASSERT_FALSE(response);
  EXPECT_NE(response.error().message.find("changed"), std::string::npos);
}

TEST(ClientTest, SendsBodiesAndBareMethods) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{204, {}, "", {}}; });
  Client client;
  ASSERT_TRUE(client.Send({.method = "DELETE", .url = server.url(), .body = "{\"a\":1}"}));
  ASSERT_TRUE(client.Send({.method = "DELETE", .url = server.url()}));
  ASSERT_TRUE(client.Send({.method = "HEAD", .url = server.url()}));
  std::vector<ScriptedRequest> seen = server.requests();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].method, "DELETE");
  EXPECT_EQ(seen[0].body, "{\"a\":1}");
  EXPECT_FALSE(seen[0].fields.contains("expect"));
  EXPECT_EQ(seen[1].method, "DELETE");
  EXPECT_EQ(seen[1].body, "");
  EXPECT_EQ(seen[2].method, "HEAD");
}

TEST(ClientTest, FollowsNoRedirect) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedAnswer{302, {{"Location", "https://elsewhere.test/"}}, "", {}};
  });
  Client client;
  Result<ClientResponse> response = client.Send({.url = server.url()});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 302u);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(ClientTest, HoldsAnswersToALimit) {
  ScriptedServer server(
      [](const ScriptedRequest&) { return ScriptedAnswer::Json(200, std::string(2000, ' ')); });
  Client client;
  Result<ClientResponse> response = client.Send({.url = server.url(), .max_body = 1000});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kTooLarge);
  EXPECT_TRUE(client.Send({.url = server.url(), .max_body = 2000}));
}

TEST(ClientTest, GivesASuccessfulBodyToTheSinkAndTheRestToTheCaller) {
  ScriptedServer server([](const ScriptedRequest& request) {
    return ScriptedAnswer::Json(request.target == "/ok" ? 200 : 500, "bytes");
  });
  Client client;
  std::string taken;
  ClientRequest request{.url = server.url() + "/ok"};
  request.sink = [&taken](std::span<const std::byte> bytes) -> Status {
    taken.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  Result<ClientResponse> response = client.Send(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(taken, "bytes");
  EXPECT_EQ(response->body, "");
  request.url = server.url() + "/fails";
  response = client.Send(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "bytes");
  EXPECT_EQ(taken, "bytes");
  request.url = server.url() + "/ok";
  request.sink = [](std::span<const std::byte>) -> Status {
    return Fail(ErrorKind::kStorageFull, "no room");
  };
  response = client.Send(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "no room");
}

struct Broken {
  std::string_view raw;
  ErrorKind kind;
  std::string_view words;
};

TEST(ClientTest, SaysWhatWasWrongWithTheExchange) {
  const std::vector<Broken> kBroken = {
      {"garbage\r\n\r\n", ErrorKind::kUnavailable, "closed the connection"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", ErrorKind::kUnavailable,
       "closed the connection"},
      {"HTTP/1.1 ", ErrorKind::kUnavailable, "closed the connection"},
  };
  for (const Broken& each : kBroken) {
    ScriptedServer server([&](const ScriptedRequest&) {
      return ScriptedAnswer{.status = 0, .fields = {}, .body = {}, .raw = std::string(each.raw)};
    });
    Client client;
    Result<ClientResponse> response = client.Send({.url = server.url() + "/?secret=1"});
    ASSERT_FALSE(response) << each.raw;
    EXPECT_EQ(response.error().kind, each.kind) << each.raw;
    EXPECT_NE(response.error().message.find(each.words), std::string::npos)
        << response.error().message;
    EXPECT_EQ(response.error().message.find("secret"), std::string::npos);
  }
}

TEST(ClientTest, SaysThatNothingListens) {
  std::string url;
  {
    ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; });
    url = server.url();
  }
  Client client;
  Result<ClientResponse> response = client.Send({.url = url});
  ASSERT_FALSE(response);
  EXPECT_NE(response.error().message.find("cannot connect to"), std::string::npos);
}

TEST(ClientTest, SaysThatThePortSpeaksPlainHttp) {
  ScriptedServer server(
      [](const ScriptedRequest&) { return ScriptedAnswer{.raw = "HTTP/1.1 400 Bad\r\n\r\n"}; });
  Client client;
  std::string url = "https://127.0.0.1:" + std::to_string(server.port());
  Result<ClientResponse> response = client.Send({.url = url});
  ASSERT_FALSE(response);
  EXPECT_TRUE(IsTlsError(response.error())) << response.error().message;
}

TEST(ClientTest, AsksWhetherAnAddressMayBeConnectedTo) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; });
  std::vector<std::string> asked;
  bool allowed = false;
  ClientOptions options;
  options.check_address = [&](const std::string& address) -> Status {
    asked.push_back(address);
    if (allowed) return {};
    return FailBadUpstream("not this one");
  };
  Client client(options);
  Result<ClientResponse> response = client.Send({.url = server.url()});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kBadUpstream);
  EXPECT_EQ(response.error().message, "not this one");
  EXPECT_TRUE(server.requests().empty());
  // Names are judged by what they resolve to, not by how they are spelled.
  asked.clear();
  response = client.Send({.url = "http://localhost:" + std::to_string(server.port())});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "not this one");
  EXPECT_NE(std::ranges::find(asked, "127.0.0.1"), asked.end());
  allowed = true;
  ASSERT_TRUE(client.Send({.url = "http://localhost:" + std::to_string(server.port())}));
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(ClientTest, TellsTheHeadBeforeTheBody) {
  ScriptedServer server([](const ScriptedRequest& request) {
    ScriptedAnswer answer{.status = request.target == "/missing" ? 404u : 200u};
    answer.fields = {{"X-Kind", "archive"}};
    if (request.target != "/empty") answer.body = "bytes";
    return answer;
  });
  Client client;
  std::string told;
  ClientRequest request{.url = server.url() + "/full"};
  request.sink = [&](std::span<const std::byte> bytes) -> Status {
    told += " and " + std::to_string(bytes.size());
    return {};
  };
  request.on_head = [&](const ClientResponse& head) -> Status {
    told += std::to_string(head.status) + " " + std::string(head.Get("x-kind").value_or(""));
    return {};
  };
  ASSERT_TRUE(client.Send(request));
  EXPECT_EQ(told, "200 archive and 5");
  told.clear();
  request.url = server.url() + "/empty";
  ASSERT_TRUE(client.Send(request));
  EXPECT_EQ(told, "200 archive");
  told.clear();
  request.url = server.url() + "/missing";
  ASSERT_TRUE(client.Send(request));
  EXPECT_EQ(told, "");
  request.on_head = [](const ClientResponse&) -> Status { return FailRefused("not of this kind"); };
  for (std::string_view path : {"/full", "/empty"}) {
    request.url = server.url() + std::string(path);
    Result<ClientResponse> response = client.Send(request);
    ASSERT_FALSE(response) << path;
    EXPECT_EQ(response.error().message, "not of this kind");
  }
}

TEST(ClientTest, HoldsOneExchangeToItsTime) {
  ScriptedServer server(
      [](const ScriptedRequest&) { return ScriptedAnswer{.silent = true, .held = true}; });
  Client client;
  Result<ClientResponse> response =
      client.Send({.url = server.url(), .total_timeout = std::chrono::milliseconds(100)});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kTimeout);
  EXPECT_NE(response.error().message.find("was too slow"), std::string::npos);
}

std::string Repeated(std::size_t times, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ClientTest, RefusesAnEndlessHead) {
  const std::string kLong = "X-Field: " + std::string(64, 'x') + "\r\n";
  struct Head {
    std::string raw;
    bool taken;
  };
  for (const Head& each :
       {Head{"HTTP/1.1 200 OK\r\n" + Repeated(1000, kLong), true},
        Head{"HTTP/1.1 200 OK\r\n" + Repeated(kMaxHeadBytes / 64, kLong), false},
        Head{"HTTP/1.1 200 OK\r\n" + Repeated(kMaxFields, "a:\r\n"), true},
        Head{"HTTP/1.1 200 OK\r\n" + Repeated(kMaxFields + 1, "a:\r\n"), false},
        Head{Repeated(5000, "HTTP/1.1 103 Early\r\n" + kLong + "\r\n"), false}}) {
    ScriptedServer server(
        [&](const ScriptedRequest&) { return ScriptedAnswer{.raw = each.raw + "\r\n"}; });
    Client client;
    Result<ClientResponse> response = client.Send({.url = server.url()});
    EXPECT_EQ(response.has_value(), each.taken) << each.raw.size();
    if (!response) EXPECT_EQ(response.error().kind, ErrorKind::kTooLarge);
  }
}

TEST(ClientTest, KeepsLittleOfABodyThatSaysWhatFailed) {
  // Without an end, so that only who stops reading is done with it.
  for (unsigned status : {302U, 404U, 500U}) {
    ScriptedServer server([&](const ScriptedRequest&) {
      return ScriptedAnswer{
          .raw = fmt::format("HTTP/1.1 {} X\r\nContent-Length: 300000000\r\n\r\n{}", status,
                             std::string(kMaxFailureBody + 1, 'x')),
          .held = true};
    });
    Client client;
    ClientRequest request{.url = server.url(), .max_body = 300'000'000};
    Result<ClientResponse> document = client.Send(request);
    request.sink = [](std::span<const std::byte>) -> Status {
      return FailInternal("that is no archive");
    };
    for (const auto& response : {document, client.Send(request)}) {
      ASSERT_TRUE(response) << response.error().message;
      EXPECT_EQ(response->status, status);
      EXPECT_EQ(response->body.size(), kMaxFailureBody);
    }
  }
}

TEST(ClientTest, EndsAtOnceWhenItIsTold) {
  for (std::string_view sent : {"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbytes"}) {
    std::stop_source source;
    ScriptedServer server([&](const ScriptedRequest&) {
      if (sent.empty()) source.request_stop();
      return ScriptedAnswer{.raw = std::string(sent), .silent = sent.empty(), .held = true};
    });
    ClientRequest request{.url = server.url(), .stop = source.get_token()};
    request.sink = [&](std::span<const std::byte>) -> Status {
      source.request_stop();
      return {};
    };
    Client client;
    Result<ClientResponse> response = client.Send(request);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::kUnavailable);
    EXPECT_NE(response.error().message.find("was canceled"), std::string::npos);
    EXPECT_FALSE(client.Send(request)) << "and begins nothing";
    EXPECT_EQ(server.requests().size(), 1u);
  }
}

TEST(ClientTest, EndsWhatTricklesBelowTheLeastRate) {
  ScriptedServer server([](const ScriptedRequest& request) {
    return ScriptedAnswer{.body = std::string(10'000, 'x'),
                          .pause = std::chrono::milliseconds(request.target == "/slow" ? 10 : 0)};
  });
  Client client({.stall_timeout = std::chrono::minutes(10)});
  ClientRequest request{.url = server.url() + "/slow",
                        .min_rate = 1000,
                        .rate_window = std::chrono::milliseconds(500)};
  Result<ClientResponse> response = client.Send(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kTimeout);
  EXPECT_NE(response.error().message.find("less than the required 1000"), std::string::npos)
      << response.error().message;
  request.url = server.url() + "/quick";
  EXPECT_TRUE(client.Send(request));
}

TEST(ClientTest, RefusesOtherSchemesAndNoUrls) {
  Client client;
  for (std::string url : {"", "example.com", "file:///etc/passwd", "ftp://example.com/"}) {
    Result<ClientResponse> response = client.Send({.url = url});
    ASSERT_FALSE(response) << url;
    EXPECT_EQ(response.error().kind, ErrorKind::kInvalid) << url;
  }
}

TEST(ClientTest, NamesTheRootCertificatesThatCannotBeRead) {
  Client client({.ca_file = "/nonexistent/ca.pem"});
  Result<ClientResponse> response = client.Send({.url = "https://127.0.0.1:1/"});
  ASSERT_FALSE(response);
  // Nothing listens there, or the file is looked at first: either is the truth.
  EXPECT_FALSE(response.error().message.empty());
}

TEST(ClientTest, SendsAPartOfAFileAndNothingThatWasNotAsked) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{.status = 200}; });
  UniqueFd file = FileOf("before|the part|behind");
  ClientRequest request{.method = "PUT", .url = server.url() + "/a/../b?uploads="};
  request.plain = true;
  request.upload = FileUpload{.descriptor = file.get(), .size = 8, .offset = 7};
  Client client;
  ASSERT_TRUE(client.Send(request));
  ScriptedRequest seen = server.requests().at(0);
  EXPECT_EQ(seen.target, "/a/../b?uploads=");
  EXPECT_EQ(seen.body, "the part");
  EXPECT_EQ(seen.fields["content-length"], "8");
  for (const char* name : {"expect", "content-type", "accept-encoding", "transfer-encoding"}) {
    EXPECT_FALSE(seen.fields.contains(name)) << name;
  }
}

TEST(ClientTest, SaysThatAPlainBodyIsEmpty) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{.status = 200}; });
  Client client;
  for (const char* method : {"POST", "PUT", "DELETE"}) {
    ClientRequest request{.method = method, .url = server.url() + "/"};
    request.plain = true;
    ASSERT_TRUE(client.Send(request)) << method;
    ScriptedRequest seen = server.requests().back();
    EXPECT_EQ(seen.method, method);
    EXPECT_EQ(seen.fields["content-length"], "0") << method;
    EXPECT_FALSE(seen.fields.contains("content-type")) << method;
  }
}

TEST(ClientTest, WaitsForTheFirstByteAsLongAsItIsTold) {
  ScriptedServer server(
      [](const ScriptedRequest&) { return ScriptedAnswer{.silent = true, .held = true}; });
  ClientRequest request{.url = server.url() + "/"};
  request.first_byte_timeout = std::chrono::milliseconds(30);
  Client client;
  auto response = client.Send(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kTimeout);
  EXPECT_TRUE(IsFirstByteTimeout(response.error()));
}

TEST(ClientTest, AFirstByteThatCameIsNotLateAnyMore) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedAnswer{.body = "slowly", .pause = std::chrono::milliseconds(20)};
  });
  ClientRequest request{.url = server.url() + "/"};
  request.first_byte_timeout = std::chrono::milliseconds(60'000);
  request.stall_timeout = std::chrono::milliseconds(30'000);
  Client client;
  auto response = client.Send(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "slowly");
}

TEST(ClientTest, ARequestMayHaveItsOwnIdeaOfAStall) {
  ScriptedServer server(
      [](const ScriptedRequest&) { return ScriptedAnswer{.silent = true, .held = true}; });
  ClientRequest request{.url = server.url() + "/"};
  request.stall_timeout = std::chrono::milliseconds(30);
  Client client;
  auto response = client.Send(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kTimeout);
  EXPECT_FALSE(IsFirstByteTimeout(response.error()));
}

}  // namespace
}  // namespace koya::http
