// Issuers that behave, and those that are down, slow, wrong, huge or somewhere private.
#include "upstream/openid/http_issuer_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/run_task.h"
#include "oidc/issuer_fake.h"
#include "upstream/upstream_fixture_fake.h"

namespace koya::upstream {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kConfigurationPath = "/.well-known/openid-configuration";

std::string KeysNamed(const std::string& kid) {
  return oidc::Jwks({oidc::FakeKey::Ed25519().Jwk(kid)});
}

class IssuerClientTest : public UpstreamTest {
 protected:
  IssuerClientTest() {
    server_ =
        Serve(Respond([this](const ScriptedRequest& asked) { return paths_.Get(asked.target); }));
    issuer_ = server_->url();
    paths_.Set(kConfigurationPath, ScriptedAnswer::Json(200, Configuration()));
    paths_.Set("/jwks", ScriptedAnswer::Json(200, KeysNamed("one")));
  }

  std::string Configuration(std::string_view issuer = {}) const {
    return fmt::format(R"({{"issuer":"{0}","authorization_endpoint":"{1}/authorize",)"
                       R"("token_endpoint":"{1}/token","jwks_uri":"{1}/jwks"}})",
                       issuer.empty() ? issuer_ : issuer, issuer_);
  }
  std::unique_ptr<HttpIssuerClient> MakeClient(UpstreamOptions options) {
    return *HttpIssuerClient::Create(options, clock_);
  }
  std::unique_ptr<HttpIssuerClient> MakeClient() { return MakeClient(Options()); }
  std::size_t Asked(std::string_view path) const {
    const std::vector<ScriptedRequest> requests = server_->requests();
    return static_cast<std::size_t>(std::ranges::count(requests, path, &ScriptedRequest::target));
  }
  // The kid of the only key, or why there is none.
  static std::string KeyOf(HttpIssuerClient& client, const std::string& issuer,
                           bool refresh = false) {
    auto keys = RunTask(client.Keys(issuer, IssuerTrust::OwnersOf("acme"), refresh));
    if (!keys) return keys.error().message;
    const auto all = (*keys)->WithId("");
    return all.size() == 1 ? all.front()->kid : "not one key";
  }
  Result<std::string> Post(HttpIssuerClient& client) {
    return RunTask(
        client.PostForm(issuer_ + "/token", IssuerTrust::OwnersOf("acme"), "code=c", "Basic eDp5"));
  }

  AnswersByPath paths_;
  std::unique_ptr<http::ScriptedServer> server_;
  std::string issuer_;
};

TEST_F(IssuerClientTest, DocumentsAreKeptForAnHour) {
  auto client = MakeClient();
  for (int round = 0; round < 3; ++round) {
    auto document = RunTask(client->Discover(issuer_, IssuerTrust::OwnersOf("acme")));
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ((*document)->token_endpoint, issuer_ + "/token");
    EXPECT_EQ(KeyOf(*client, issuer_), "one");
  }
  EXPECT_EQ(Asked(kConfigurationPath), 1u);
  EXPECT_EQ(Asked("/jwks"), 1u);
  clock_.Advance(hours(1));
  EXPECT_EQ(KeyOf(*client, issuer_), "one");
  EXPECT_EQ(Asked(kConfigurationPath), 2u);
  EXPECT_EQ(Asked("/jwks"), 2u);
}

TEST_F(IssuerClientTest, RotatedKeysAreFetchedAnewOnceAMinute) {
  auto client = MakeClient();
  EXPECT_EQ(KeyOf(*client, issuer_), "one");
  paths_.Set("/jwks", ScriptedAnswer::Json(200, KeysNamed("two")));
  EXPECT_EQ(KeyOf(*client, issuer_, true), "one") << "asked for just now";
  clock_.Advance(seconds(61));
  EXPECT_EQ(KeyOf(*client, issuer_), "one") << "nothing is missing";
  EXPECT_EQ(KeyOf(*client, issuer_, true), "two");
  paths_.Set("/jwks", ScriptedAnswer::Json(200, KeysNamed("three")));
  for (int flood = 0; flood < 10; ++flood) EXPECT_EQ(KeyOf(*client, issuer_, true), "two");
  EXPECT_EQ(Asked("/jwks"), 2u);
  EXPECT_EQ(Asked(kConfigurationPath), 1u);
}

TEST_F(IssuerClientTest, WhatWasKeptCountsForADayWhileTheIssuerIsDown) {
  auto client = MakeClient();
  EXPECT_EQ(KeyOf(*client, issuer_), "one");
  paths_.Set("/jwks", {.status = 501});
  paths_.Set(kConfigurationPath, {.status = 501});
  clock_.Advance(hours(2));
  EXPECT_EQ(KeyOf(*client, issuer_), "one");
  EXPECT_EQ(KeyOf(*client, issuer_, true), "one");
  EXPECT_EQ(Asked(kConfigurationPath), 2u) << "not again at once";
  clock_.Advance(hours(23));
  EXPECT_TRUE(KeyOf(*client, issuer_).contains("answered 501"));
}

TEST_F(IssuerClientTest, AFailureIsBelievedForAWhileAndForgottenOnRequest) {
  auto client = MakeClient();
  paths_.Set(kConfigurationPath, {.status = 404});
  for (int flood = 0; flood < 5; ++flood) {
    EXPECT_TRUE(KeyOf(*client, issuer_).contains("answered 404"));
  }
  EXPECT_EQ(Asked(kConfigurationPath), 1u);
  paths_.Set(kConfigurationPath, ScriptedAnswer::Json(200, Configuration()));
  client->DropDocuments(issuer_);
  EXPECT_EQ(KeyOf(*client, issuer_), "one");
  paths_.Set("/jwks", ScriptedAnswer::Json(200, KeysNamed("two")));
  client->DropDocuments(issuer_);
  EXPECT_EQ(KeyOf(*client, issuer_), "two");
}

TEST_F(IssuerClientTest, ManyAtOnceShareAnExchange) {
  auto client = MakeClient();
  std::vector<std::jthread> askers;
  for (int each = 0; each < 8; ++each) {
    askers.emplace_back([&] { EXPECT_EQ(KeyOf(*client, issuer_), "one"); });
  }
  askers.clear();
  EXPECT_LE(Asked(kConfigurationPath), 1u);
}

struct IssuerFault {
  std::string_view name;
  std::string_view path;
  ScriptedAnswer answer;
  std::string_view words;
  ErrorKind kind = ErrorKind::kBadUpstream;
};

std::vector<IssuerFault> IssuerFaults() {
  const ScriptedAnswer giant{.body = R"({"keys":[],"x":")" + std::string(300 << 10, 'x') + "\"}"};
  const std::string_view configuration = kConfigurationPath;
  return {
      {"no configuration", configuration, {.status = 404}, "answered 404"},
      {"closed", configuration, {.status = 403}, "answered 403"},
      {"moved", configuration, {.status = 302, .fields = {{"Location", "/x"}}}, "answered 302"},
      {"empty", configuration, {}, "cannot be used"},
      {"a page", configuration, {.body = "<html>"}, "cannot be used"},
      {"a list", configuration, {.body = "[]"}, "cannot be used"},
      {"of nobody", configuration, {.body = "{}"}, "cannot be used"},
      {"another's",
       configuration,
       {.body = R"({"issuer":"https://evil.example","jwks_uri":"https://evil.example/k"})"},
       "is of the issuer \"https://evil.example\""},
      {"giant configuration", configuration, giant, "larger than"},
      {"dropped", configuration, {.silent = true}, "could not be fetched"},
      {"no keys", "/jwks", {.status = 404}, "answered 404"},
      {"keys moved", "/jwks", {.status = 301, .fields = {{"Location", "/k"}}}, "answered 301"},
      {"keys are a page", "/jwks", {.body = "<html>"}, "cannot be used"},
      {"keys are no set", "/jwks", {.body = R"({"keys":1})"}, "cannot be used"},
      {"giant keys", "/jwks", giant, "larger than"},
      {"endless",
       "/jwks",
       {.raw = "HTTP/1.1 200 OK\r\n\r\n" + std::string(300 << 10, 'x'), .held = true},
       "larger than"},
  };
}

TEST_F(IssuerClientTest, WhatIsWrongWithAnIssuerIsSaid) {
  for (const IssuerFault& fault : IssuerFaults()) {
    SCOPED_TRACE(fault.name);
    auto client = MakeClient();
    paths_.Set(kConfigurationPath, ScriptedAnswer::Json(200, Configuration()));
    paths_.Set("/jwks", ScriptedAnswer::Json(200, KeysNamed("one")));
    paths_.Set(fault.path, fault.answer);
    auto keys = RunTask(client->Keys(issuer_, IssuerTrust::OwnersOf("acme"), false));
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error().kind, fault.kind) << keys.error().message;
    EXPECT_TRUE(keys.error().message.contains(fault.words)) << keys.error().message;
  }
}

TEST_F(IssuerClientTest, ASlowIssuerCostsABoundedTime) {
  auto client = MakeClient(HastyOptions(milliseconds(300)));
  paths_.Set(kConfigurationPath, {.silent = true, .held = true});
  auto slow = RunTask(client->Discover(issuer_, IssuerTrust::OwnersOf("acme")));
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().kind, ErrorKind::kUpstreamTimeout) << slow.error().message;
}

// Hosts to which connections are made and nothing is answered.
class SilentHosts {
 public:
  explicit SilentHosts(std::size_t count) : listeners_(count) {
    for (UniqueFd& listener : listeners_) {
      listener = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
      socklen_t size = sizeof(address);
      auto* generic = reinterpret_cast<sockaddr*>(&address);
      EXPECT_EQ(::bind(listener.get(), generic, size), 0);
      EXPECT_EQ(::listen(listener.get(), 16), 0);
      EXPECT_EQ(::getsockname(listener.get(), generic, &size), 0);
      urls.push_back(fmt::format("http://127.0.0.1:{}", ntohs(address.sin_port)));
    }
  }
  // Waits until so many have been connected to; keeps the connections. How many it was.
  std::size_t Accept(std::size_t count, int milliseconds) {
    std::vector<pollfd> polled;
    for (const UniqueFd& listener : listeners_) polled.push_back({listener.get(), POLLIN, 0});
    while (connections_.size() < count && ::poll(polled.data(), polled.size(), milliseconds) > 0) {
      for (const pollfd& each : polled) {
        if (each.revents == 0) continue;
        connections_.emplace_back(::accept(each.fd, nullptr, nullptr));
      }
    }
    return connections_.size();
  }

  std::vector<std::string> urls;

 private:
  std::vector<UniqueFd> listeners_;
  std::vector<UniqueFd> connections_;
};

TEST_F(IssuerClientTest, IssuersOfOneNamespaceHoldUpNoOtherAndNoSignIn) {
  SilentHosts hosts(24);
  auto client = MakeClient(HastyOptions(seconds(30)));
  std::vector<std::jthread> owners;
  for (const std::string& issuer : hosts.urls) {
    owners.emplace_back([&client, &issuer] {
      EXPECT_FALSE(RunTask(client->Discover(issuer, IssuerTrust::OwnersOf("evil"))));
    });
  }
  EXPECT_EQ(hosts.Accept(4, 30'000), 4U);
  EXPECT_TRUE(RunTask(client->Discover(issuer_, IssuerTrust::OwnersOf("acme"))));
  EXPECT_TRUE(RunTask(client->Discover(issuer_, IssuerTrust::Administrators())));
  EXPECT_EQ(hosts.Accept(5, 0), 4U) << "a namespace has four places, however many hosts it names";
  client->Stop();
}

TEST_F(IssuerClientTest, PrivateAddressesAreForAdministratorsAlone) {
  UpstreamOptions options = Options();
  options.allow_private_addresses.clear();
  auto client = MakeClient(options);
  auto owners = RunTask(client->Discover(issuer_, IssuerTrust::OwnersOf("acme")));
  ASSERT_FALSE(owners);
  EXPECT_EQ(owners.error().kind, ErrorKind::kBadUpstream);
  EXPECT_TRUE(owners.error().message.contains("127.0.0.1 is a loopback address"))
      << owners.error().message;
  EXPECT_TRUE(RunTask(client->Discover(issuer_, IssuerTrust::Administrators())));
  clock_.Advance(seconds(11));
  EXPECT_FALSE(RunTask(client->Discover(issuer_, IssuerTrust::OwnersOf("acme"))))
      << "what an administrator's question brought is not an owner's to use";
  auto posted = Post(*client);
  ASSERT_FALSE(posted);
  EXPECT_EQ(posted.error().kind, ErrorKind::kBadUpstream);
  EXPECT_EQ(Asked("/token"), 0u);
}

TEST_F(IssuerClientTest, WhatIsNoIssuerIsNotAsked) {
  auto client = MakeClient();
  const std::string_view names[] = {"",
                                    "example.com",
                                    "http://example.com",
                                    "ftp://example.com",
                                    "https://u:p@example.com",
                                    "https://example.com?x",
                                    "https://example.com#x",
                                    "https:///x"};
  for (const std::string_view name : names) {
    SCOPED_TRACE(name);
    const std::string issuer(name);
    auto document = RunTask(client->Discover(issuer, IssuerTrust::Administrators()));
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().kind, ErrorKind::kInvalid);
    EXPECT_FALSE(RunTask(client->Keys(issuer, IssuerTrust::Administrators(), true)));
  }
}

TEST_F(IssuerClientTest, FormsAreSentOnceAndAnswersGivenBack) {
  auto client = MakeClient();
  paths_.Set("/token", ScriptedAnswer::Json(200, R"({"id_token":"t"})"));
  EXPECT_EQ(*Post(*client), R"({"id_token":"t"})");
  const ScriptedRequest sent = server_->requests().back();
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.body, "code=c");
  EXPECT_EQ(sent.fields.at("authorization"), "Basic eDp5");
  EXPECT_EQ(sent.fields.at("content-type"), "application/x-www-form-urlencoded");
}

TEST_F(IssuerClientTest, TokenEndpointsThatSayNo) {
  using enum ErrorKind;
  struct Refusal {
    std::string_view name;
    ScriptedAnswer answer;
    ErrorKind kind;
    std::string_view words;
  };
  const Refusal refusals[] = {
      {"the code is used",
       ScriptedAnswer::Json(400, R"({"error":"invalid_grant","error_description":"used"})"),
       kUnauthenticated, "rejected the code: invalid_grant (used)"},
      {"the secret is wrong", ScriptedAnswer::Json(401, R"({"error":"invalid_client"})"),
       kBadUpstream, "responded with 401: invalid_client: check the client's ID and secret"},
      {"no reason", {.status = 400}, kBadUpstream, "responded with 400: check"},
      {"a page", {.status = 400, .body = "<html>"}, kBadUpstream, "responded with 400: check"},
      {"down", {.status = 503}, kBadUpstream, "responded with 503"},
      {"dropped", {.silent = true}, kBadUpstream, "could not be fetched"},
      {"elsewhere", {.status = 307, .fields = {{"Location", "/evil"}}}, kBadUpstream, "307"},
      {"giant", {.body = std::string(300 << 10, 'x')}, kBadUpstream, "larger than"},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.name);
    auto client = MakeClient();
    paths_.Set("/token", refusal.answer);
    const std::size_t before = Asked("/token");
    auto answer = Post(*client);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, refusal.kind);
    EXPECT_TRUE(answer.error().message.contains(refusal.words)) << answer.error().message;
    EXPECT_EQ(Asked("/token"), before + 1) << "once: a code is good for one question";
  }
  EXPECT_EQ(Asked("/evil"), 0u);
}

TEST_F(IssuerClientTest, AfterStopNobodyIsAsked) {
  auto client = MakeClient();
  client->Stop();
  auto document = RunTask(client->Discover(issuer_, IssuerTrust::OwnersOf("acme")));
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(Asked(kConfigurationPath), 0u);
}

}  // namespace
}  // namespace koya::upstream
