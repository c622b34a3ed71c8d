// koya idp, koya trust, and koya publish in a CI that shows what its job is: on a scripted server,
// which is GitHub's as well where a test needs one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/temp_folder_fake.h"
#include "cli/draft_registry_fake.h"
#include "cli/run_program_fake.h"
#include "http/scripted_server_fake.h"
#include "wire/identity.h"
#include "wire/modules.h"
#include "wire/tokens.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

constexpr const char* kIdentityTime = "2026-11-21T16:41:10Z";
constexpr std::string_view kExchangeTarget = "/api/v1/oidc/exchange";

wire::IdentityProvider AddedProvider() {
  return {.name = "corp",
          .issuer = "https://id.example.com",
          .client_id = "koya",
          .groups_claim = "groups",
          .groups = {{"/platform=a", "platform"}},
          .callback = "https://r.test/-/oidc/corp/callback",
          .created = kIdentityTime,
          .created_by = "root"};
}

wire::Trust AddedTrust() {
  return {.id = "t1",
          .ns = "acme",
          .issuer = "https://token.actions.githubusercontent.com",
          .claims = {"repository=acme/infra", "ref=refs/heads/main"},
          .created = kIdentityTime,
          .created_by = "root"};
}

// Arguments and input of one command, its request, the response, and its output.
struct IdentityExchange {
  std::vector<std::string> arguments;
  std::string input;
  std::string method;
  std::string target;
  std::string sent;
  unsigned status;
  std::string answer;
  std::string words;
  std::string json;
  int exit = 0;
};

std::vector<IdentityExchange> ProviderExchanges() {
  const std::string added = wire::Encode(AddedProvider());
  const std::string list = wire::Encode(wire::IdentityProviderList{{AddedProvider()}});
  const std::string good = wire::Encode<wire::IdentityProviderReport>(
      {.name = "corp", .ok = true, .findings = {{true, "it answers"}}, .enabled = true});
  const std::string bad = wire::Encode<wire::IdentityProviderReport>(
      {.name = "corp", .ok = false, .findings = {{true, "it answers"}, {false, "no S256"}}});
  return {
      {{"idp", "add", "corp", "--issuer", "https://id.example.com", "--client-id", "koya",
        "--client-secret-stdin", "--groups-claim", "groups", "--map", "/platform=a=platform"},
       "s3cret\n",
       "POST",
       "/api/v1/idps",
       wire::Encode<wire::IdentityProvider>({.name = "corp",
                                             .issuer = "https://id.example.com",
                                             .client_id = "koya",
                                             .client_secret = "s3cret",
                                             .groups_claim = "groups",
                                             .groups = {{"/platform=a", "platform"}}}),
       201,
       added,
       "redirect URL  https://r.test/-/oidc/corp/callback\nRegister that URL at the provider, "
       "then enable it: koya idp test corp",
       added},
      {{"idp", "list"}, "", "GET", "/api/v1/idps", "", 200, list, "https://id.example.com", list},
      {{"idp", "test", "corp"},
       "",
       "POST",
       "/api/v1/idps/corp/test",
       "",
       200,
       good,
       "ok    it answers\nThe sign-in provider \"corp\" is enabled\n",
       good},
      {{"idp", "test", "corp"},
       "",
       "POST",
       "/api/v1/idps/corp/test",
       "",
       200,
       bad,
       "ok    it answers\nwrong no S256\nThe sign-in provider \"corp\" stays disabled\n",
       bad,
       1},
      {{"idp", "disable", "corp"},
       "",
       "POST",
       "/api/v1/idps/corp/disable",
       "",
       200,
       added,
       "Disabled the sign-in provider \"corp\"",
       added},
      {{"idp", "remove", "corp"},
       "",
       "DELETE",
       "/api/v1/idps/corp",
       "",
       204,
       "",
       "Removed the sign-in provider \"corp\"",
       R"({"name":"corp","removed":true})"},
  };
}

std::vector<IdentityExchange> TrustExchanges() {
  const std::string added = wire::Encode(AddedTrust());
  const std::string list = wire::Encode(wire::TrustList{{AddedTrust()}});
  const std::string target = "/api/v1/namespaces/acme/trust";
  const std::string tokens = wire::Encode(wire::TokenList{{{.name = "ci-1",
                                                            .token = {},
                                                            .scope = "publish",
                                                            .namespaces = {"acme"},
                                                            .account = {},
                                                            .account_kind = {},
                                                            .expires = "2026-11-21T16:56:10Z",
                                                            .created = "2026-11-21T16:41:10Z",
                                                            .created_by = "oidc:ci.test job",
                                                            .last_used = {}}}});
  return {
      {{"trust", "add", "acme", "--github", "acme/infra", "--ref", "main", "--environment", "prod"},
       "",
       "POST",
       target,
       wire::Encode<wire::TrustRequest>(
           {.github = "acme/infra", .ref = "main", .environment = "prod"}),
       201,
       added,
       "\"acme\" trusts https://token.actions.githubusercontent.com where "
       "repository=acme/infra ref=refs/heads/main\n  id  t1",
       added},
      {{"trust", "add", "acme", "--issuer", "https://ci.test", "--claim", "sub=job:a", "--claim",
        "env=b*"},
       "",
       "POST",
       target,
       wire::Encode<wire::TrustRequest>(
           {.issuer = "https://ci.test", .claims = {"sub=job:a", "env=b*"}}),
       201,
       added,
       "\"acme\" trusts",
       added},
      {{"trust", "add", "acme", "--gitlab", "acme/infra", "--ref", "main", "--unprotected"},
       "",
       "POST",
       target,
       wire::Encode<wire::TrustRequest>(
           {.gitlab = "acme/infra", .ref = "main", .unprotected = true}),
       201,
       added,
       "\"acme\" trusts",
       added},
      {{"trust", "add", "acme", "--issuer", "https://ci.test", "--claim", "a=b", "--own-issuer"},
       "",
       "POST",
       target,
       wire::Encode<wire::TrustRequest>(
           {.issuer = "https://ci.test", .claims = {"a=b"}, .own_issuer = true}),
       201,
       added,
       "\"acme\" trusts",
       added},
      {{"trust", "list", "acme"}, "", "GET", target, "", 200, list, "t1  https://token", list},
      {{"trust", "remove", "acme", "t/1"},
       "",
       "DELETE",
       target + "/t%2F1",
       "",
       204,
       "",
       "\"acme\" no longer trusts t/1",
       R"({"id":"t/1","removed":true})"},
      {{"trust", "tokens", "acme"},
       "",
       "GET",
       target + "/tokens",
       "",
       200,
       tokens,
       "ci-1  oidc:ci.test job",
       tokens},
      {{"trust", "tokens", "acme", "--end", "ci/1"},
       "",
       "DELETE",
       target + "/tokens/ci%2F1",
       "",
       204,
       "",
       "revoked the token \"ci/1\"",
       R"({"name":"ci/1","removed":true})"},
  };
}

void ExpectExchange(const IdentityExchange& each) {
  ScriptedServer server(
      [&](const ScriptedRequest&) { return ScriptedAnswer::Json(each.status, each.answer); });
  const Variables variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}};
  ProgramRun run = RunKoya(each.arguments, variables, each.input);
  EXPECT_EQ(run.status, each.exit) << each.words << run.err;
  EXPECT_NE(run.out.find(each.words), std::string::npos) << each.words << "\n" << run.out;
  ASSERT_EQ(server.requests().size(), 1U) << each.words;
  const ScriptedRequest request = server.requests().front();
  EXPECT_EQ(request.method, each.method);
  EXPECT_EQ(request.target, each.target);
  EXPECT_EQ(request.body, each.sent);
  EXPECT_EQ(request.fields.at("authorization"), "Bearer koya_secret");
  EXPECT_EQ((run.out + run.err).find("s3cret"), std::string::npos) << "shown: a client's secret";
  std::vector<std::string> arguments = each.arguments;
  arguments.emplace_back("--json");
  EXPECT_EQ(RunKoya(arguments, variables, each.input).out, each.json + "\n");
}

TEST(IdentityCommandsTest, AskTheServer) {
  for (const IdentityExchange& each : ProviderExchanges()) ExpectExchange(each);
  for (const IdentityExchange& each : TrustExchanges()) ExpectExchange(each);
}

TEST(IdentityCommandsTest, SayThatThereIsNothing) {
  ScriptedServer server([](const ScriptedRequest& request) {
    return ScriptedAnswer::Json(
        200, request.target.contains("trust") ? R"({"trust":[]})" : R"({"idps":[]})");
  });
  const Variables variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}};
  EXPECT_EQ(RunKoya({"idp", "list"}, variables).err,
            "koya: no sign-in providers: users sign in with passwords\n");
  EXPECT_EQ(RunKoya({"trust", "list", "acme"}, variables).err, "koya: \"acme\" trusts no CI\n");
}

TEST(IdentityCommandsTest, SayWhatTheServerRefuses) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedAnswer::Json(403, PlainErrors("this token has no scope admin"));
  });
  const Variables variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}};
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"idp", "list"},
        {"idp", "add", "corp", "--issuer", "https://i.test", "--client-id", "koya"},
        {"idp", "test", "corp"},
        {"idp", "remove", "corp"},
        {"trust", "list", "acme"},
        {"trust", "add", "acme", "--gitlab", "acme/infra"},
        {"trust", "remove", "acme", "t1"}}) {
    ProgramRun run = RunKoya(arguments, variables);
    EXPECT_EQ(run.status, 1) << arguments[1];
    EXPECT_NE(run.err.find("this token has no scope admin"), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

TEST(IdentityCommandsTest, RefuseBeforeTheyAsk) {
  struct Refused {
    std::vector<std::string> arguments;
    int status;
    std::string_view words;
  };
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer::Json(500, "{}"); });
  const std::vector<std::string> add = {"idp",       "add",         "corp", "--issuer",
                                        "https://i", "--client-id", "koya"};
  auto with = [&add](std::vector<std::string> more) {
    std::vector<std::string> all = add;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::vector<Refused> kRefused = {
      {{"idp"}, 2, "a command is missing"},
      {{"idp", "add"}, 2, "NAME"},
      {{"idp", "add", "corp", "--client-id", "koya"}, 2, "--issuer"},
      {{"idp", "add", "corp", "--issuer", "https://i"}, 2, "--client-id"},
      {with({"--client-secret-stdin"}), 1, "the client's secret is missing"},
      {with({"--client-secret", "x"}), 2, "--client-secret"},
      {with({"--map", "platform"}), 2, "is not THEIRS=OURS"},
      {with({"--map", "=platform"}), 2, "is not THEIRS=OURS"},
      {with({"--map", "platform="}), 2, "is not THEIRS=OURS"},
      {{"idp", "test"}, 2, "NAME"},
      {{"idp", "remove"}, 2, "NAME"},
      {{"trust"}, 2, "a command is missing"},
      {{"trust", "add"}, 2, "NAMESPACE"},
      {{"trust", "add", "no/slash", "--github", "a/b"}, 2, "no/slash"},
      {{"trust", "add", "acme", "--github", "a/b", "--gitlab", "a/b"}, 2, "--gitlab"},
      {{"trust", "remove", "acme"}, 2, "ID"},
      {{"trust", "list"}, 2, "NAMESPACE"},
  };
  for (const Refused& each : kRefused) {
    ProgramRun run =
        RunKoya(each.arguments, {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_x"}});
    EXPECT_EQ(run.status, each.status) << each.words << run.err;
    EXPECT_NE(run.err.find(each.words), std::string::npos) << each.words << "\n" << run.err;
    EXPECT_EQ(run.out, "");
  }
  EXPECT_TRUE(server.requests().empty());
}

// ---- koya publish in a CI

std::string PublishedVpc() {
  return wire::Encode<wire::PublishedModule>(
      {.address = "acme/vpc/aws",
       .version = "1.2.0",
       .digest = "sha256:" + std::string(64, 'a'),
       .size = 5,
       .location = "https://registry.example.com/v1/x.tar.gz"});
}

// GitHub's response to the job, and the registry's to the token that it sends.
struct CiAnswers {
  ScriptedAnswer github = ScriptedAnswer::Json(200, R"({"count":1,"value":"github.job.token"})");
  ScriptedAnswer exchange = ScriptedAnswer::Json(
      201, wire::Encode<wire::ExchangedToken>({"koya_exchanged", "2026-11-21T16:56:10Z", "acme"}));
  std::optional<ScriptedAnswer> publish = std::nullopt;  // nullopt: published
};

class CiPublishTest : public testing::Test {
 protected:
  CiPublishTest() { std::ofstream(archive_, std::ios::binary) << "bytes"; }

  ScriptedAnswer Answer(const ScriptedRequest& request) const {
    if (request.target.starts_with("/github/")) return answers_.github;
    if (request.target == kExchangeTarget) return answers_.exchange;
    return answers_.publish.value_or(ScriptedAnswer::Json(201, PublishedVpc()));
  }
  ProgramRun Publish(Variables variables) const {
    variables.emplace_back("KOYA_URL", server_.url());
    variables.emplace_back("XDG_CACHE_HOME", (folder_ / "cache").string());
    return RunKoya({"publish", "module", archive_, "acme/vpc/aws", "1.2.0"}, std::move(variables));
  }
  Variables GitHub(std::string_view query = "?api-version=2.0") const {
    return {{"ACTIONS_ID_TOKEN_REQUEST_URL", server_.url() + "/github/token" + std::string(query)},
            {"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "of-the-runner"}};
  }
  // "GET", "POST", "PUT", in the order they arrived.
  std::string Methods() const {
    std::string methods;
    for (const ScriptedRequest& each : server_.requests()) methods += each.method + " ";
    return methods;
  }

  CiAnswers answers_;
  TempFolder folder_;
  std::string archive_ = (folder_ / "vpc.zip").string();
  ScriptedServer server_{[this](const ScriptedRequest& request) { return Answer(request); }};
};

TEST_F(CiPublishTest, AJobOfGitHubShowsWhatItIs) {
  ProgramRun run = Publish(GitHub());
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(
      run.err,
      "koya: this job can publish in \"acme\" until 2026-11-21T16:56:10Z (trusted publishing)\n");
  EXPECT_EQ(Methods(), "GET POST PUT ");
  std::vector<ScriptedRequest> seen = server_.requests();
  // The audience is the registry, escaped.
  EXPECT_EQ(seen[0].target, "/github/token?api-version=2.0&audience=http%3A%2F%2F127.0.0.1%3A" +
                                std::to_string(server_.port()));
  EXPECT_EQ(seen[0].fields["authorization"], "Bearer of-the-runner");
  EXPECT_EQ(seen[1].target, kExchangeTarget);
  EXPECT_EQ(seen[1].body, wire::Encode<wire::TokenExchange>({"github.job.token", "acme"}));
  EXPECT_EQ(seen[1].fields.count("authorization"), 0U);
  EXPECT_EQ(seen[2].fields["authorization"], "Bearer koya_exchanged");
  for (std::string_view secret : {"github.job.token", "koya_exchanged", "of-the-runner"}) {
    EXPECT_EQ((run.out + run.err).find(secret), std::string::npos) << secret;
  }
}

TEST_F(CiPublishTest, TheAudienceCanBeAnother) {
  Variables variables = GitHub("");
  variables.emplace_back("KOYA_OIDC_AUDIENCE", "https://koya.example.com");
  ASSERT_EQ(Publish(variables).status, 0);
  EXPECT_EQ(server_.requests().front().target,
            "/github/token?audience=https%3A%2F%2Fkoya.example.com");
}

TEST_F(CiPublishTest, AJobOfGitLabHasItsTokenAtHand) {
  ProgramRun run = Publish({{"KOYA_ID_TOKEN", "gitlab.job.token"}});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Methods(), "POST PUT ");
  EXPECT_EQ(server_.requests().front().body,
            wire::Encode<wire::TokenExchange>({"gitlab.job.token", "acme"}));
  EXPECT_EQ(server_.requests().back().fields["authorization"], "Bearer koya_exchanged");
}

TEST_F(CiPublishTest, FurtherCommandsOfAJobUseTheTokenThatItGot) {
  auto exchanged = [this](int seconds_left) {
    answers_.exchange = ScriptedAnswer::Json(
        201, wire::Encode<wire::ExchangedToken>(
                 {"koya_exchanged", FormatRfc3339(SystemClock().Now() + seconds_left), "acme"}));
  };
  exchanged(900);
  const Variables gitlab = {{"KOYA_ID_TOKEN", "gitlab.job.token"}};
  ASSERT_EQ(Publish(gitlab).status, 0);
  ASSERT_EQ(Publish(gitlab).status, 0);
  EXPECT_EQ(Methods(), "POST PUT PUT ");
  EXPECT_EQ(server_.requests().back().fields["authorization"], "Bearer koya_exchanged");
  const std::filesystem::directory_iterator kept(folder_ / "cache/koya");
  EXPECT_EQ(std::filesystem::status(kept->path()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(std::filesystem::status(folder_ / "cache/koya").permissions(),
            std::filesystem::perms::owner_all);
  // Another job has another one, and GitHub need not be asked again.
  ASSERT_EQ(Publish({{"KOYA_ID_TOKEN", "another.job.token"}}).status, 0);
  ASSERT_EQ(Publish(GitHub()).status, 0);
  ASSERT_EQ(Publish(GitHub()).status, 0);
  EXPECT_EQ(Methods(), "POST PUT PUT POST PUT GET POST PUT PUT ");
  // One that is about to end is of no use.
  exchanged(59);
  ASSERT_EQ(Publish({{"KOYA_ID_TOKEN", "third"}}).status, 0);
  ASSERT_EQ(Publish({{"KOYA_ID_TOKEN", "third"}}).status, 0);
  EXPECT_TRUE(Methods().ends_with("POST PUT POST PUT ")) << Methods();
}

TEST_F(CiPublishTest, ATokenThatTheRegistryDoesNotKnowAnyMoreIsForgotten) {
  answers_.exchange = ScriptedAnswer::Json(
      201, wire::Encode<wire::ExchangedToken>(
               {"koya_exchanged", FormatRfc3339(SystemClock().Now() + 900), "acme"}));
  const Variables gitlab = {{"KOYA_ID_TOKEN", "gitlab.job.token"}};
  ASSERT_EQ(Publish(gitlab).status, 0);
  answers_.publish = ScriptedAnswer::Json(403, PlainErrors("not here"));
  EXPECT_EQ(Publish(gitlab).status, 1);
  answers_.publish = ScriptedAnswer::Json(401, PlainErrors("this token is not known here"));
  EXPECT_EQ(Publish(gitlab).status, 1);
  EXPECT_EQ(Methods(), "POST PUT PUT PUT ") << "another answer than 401 forgets nothing";
  answers_.publish.reset();
  ASSERT_EQ(Publish(gitlab).status, 0);
  EXPECT_EQ(Methods(), "POST PUT PUT PUT POST PUT ");
}

TEST_F(CiPublishTest, WithoutAPlaceToKeepTheTokenItIsUsedAndSaid) {
  ProgramRun run = RunKoya({"publish", "module", archive_, "acme/vpc/aws", "1.2.0"},
                           {{"KOYA_URL", server_.url()},
                            {"KOYA_ID_TOKEN", "gitlab.job.token"},
                            {"HOME", (folder_ / "none").string()}});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
  EXPECT_NE(run.err.find("HOME is not a folder: the token is not stored"), std::string::npos)
      << run.err;
  std::ofstream(folder_ / "cache") << "a file where the folder should be";
  run = Publish({{"KOYA_ID_TOKEN", "gitlab.job.token"}});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("cannot be written: the token is not stored"), std::string::npos)
      << run.err;
}

TEST_F(CiPublishTest, ATokenThatIsGivenIsUsed) {
  Variables variables = GitHub();
  variables.emplace_back("KOYA_ID_TOKEN", "gitlab.job.token");
  variables.emplace_back("KOYA_TOKEN", "koya_secret");
  ASSERT_EQ(Publish(variables).status, 0);
  EXPECT_EQ(Methods(), "PUT ");
  EXPECT_EQ(server_.requests().front().fields["authorization"], "Bearer koya_secret");
}

TEST_F(CiPublishTest, ElsewhereNothingIsExchanged) {
  ASSERT_EQ(Publish({{"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "of-the-runner"}}).status, 0);
  EXPECT_EQ(Methods(), "PUT ");
}

TEST_F(CiPublishTest, AJobOfGitHubThatMayNotAskIsToldSo) {
  ProgramRun run = Publish({{"GITHUB_ACTIONS", "true"}});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(
      run.err.find(
          "the job is not allowed to request one; give the job \"permissions: id-token: write\""),
      std::string::npos)
      << run.err;
  EXPECT_TRUE(server_.requests().empty());
  run = Publish({{"GITHUB_ACTIONS", "true"}, {"KOYA_TOKEN", "koya_secret"}});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(CiPublishTest, WhatGitHubRefusesSaysWhichPermissionIsMissing) {
  for (const ScriptedAnswer& refusal :
       {ScriptedAnswer::Json(403, R"({"message":"Resource not accessible by integration"})"),
        ScriptedAnswer::Json(500, "{}"), ScriptedAnswer::Json(200, "{}"),
        ScriptedAnswer::Json(200, R"({"value":7})"), ScriptedAnswer::Json(200, "not JSON"),
        ScriptedAnswer::Json(200, R"({"value":")" + std::string(70'000, 'a') + R"("})")}) {
    answers_.github = refusal;
    const std::size_t before = server_.requests().size();
    ProgramRun run = Publish(GitHub());
    EXPECT_EQ(run.status, 1) << refusal.status;
    EXPECT_NE(run.err.find("\"permissions: id-token: write\", or set KOYA_TOKEN"),
              std::string::npos)
        << run.err;
    EXPECT_EQ(run.err.find("of-the-runner"), std::string::npos);
    EXPECT_EQ(server_.requests().size(), before + 1) << "nothing is sent to the registry";
  }
}

TEST_F(CiPublishTest, WhatTheRegistryRefusesIsToldAndNothingIsSent) {
  struct Refused {
    unsigned status;
    std::string body;
    std::string_view words;
  };
  for (const Refused& each :
       {Refused{403, PlainErrors(R"(\"acme\" trusts no such job)"), "trusts no such job"},
        Refused{401, PlainErrors("the token is for somebody else"), "for somebody else"},
        Refused{201, "{}", "token"}}) {
    answers_.exchange = ScriptedAnswer::Json(each.status, each.body);
    ProgramRun run = Publish({{"KOYA_ID_TOKEN", "gitlab.job.token"}});
    EXPECT_EQ(run.status, 1) << each.words;
    EXPECT_NE(run.err.find(each.words), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("gitlab.job.token"), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("no token was sent"), std::string::npos) << run.err;
    EXPECT_EQ(server_.requests().back().target, kExchangeTarget);
  }
}

TEST(CiPublishProviderTest, AJobPublishesAProvider) {
  DraftRegistry registry([](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
    if (request.target != kExchangeTarget) return std::nullopt;
    return CiAnswers().exchange;
  });
  TempFolder folder;
  folder.Write("terraform-provider-demo_1.2.0_linux_amd64.zip", "zip");
  ProgramRun run = RunKoya({"publish", "provider", folder.path(), "acme/demo", "--sign"},
                           {{"KOYA_URL", registry.url()}, {"KOYA_ID_TOKEN", "gitlab.job.token"}});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(registry.calls().front(), "POST /api/v1/oidc/exchange");
  EXPECT_EQ(registry.Count("POST /api/v1/oidc/exchange"), 1U) << "one token for all of it";
  EXPECT_EQ(registry.requests().back().fields["authorization"], "Bearer koya_exchanged");
}

}  // namespace
}  // namespace koya::cli
