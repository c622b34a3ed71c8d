// A CI's token for one of ours, and all for whom there is none.
#include "service/sign_in/token_exchange.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/token_catalog.h"
#include "oidc/claims.h"
#include "service/sign_in/issuer_client_fake.h"
#include "service/sign_in/trust.h"
#include "service/tokens.h"
#include "wire/trust.h"

namespace koya::service {
namespace {

constexpr std::string_view kAudience = "https://koya.example.com";

class TokenExchangeTest : public testing::Test {
 protected:
  TokenExchangeTest() {
    using enum Visibility;
    for (auto [ns, visibility] : {std::pair{"acme", kPublic},
                                  {"secret", kPrivate},
                                  {"beta", kPrivate},
                                  {"open", kPublic}}) {
      EXPECT_TRUE(RunTask(catalog_.namespaces().AddNamespace(
          Actor::Server(),
          {.name = ns, .visibility = visibility, .created_at = 1, .created_by = "t"})));
    }
    for (std::string ns : {"acme", "secret"}) {
      for (std::string branch : {"main", "release"}) {
        NewTrust trust{.issuer = issuers_.document.issuer,
                       .claims = {"repository=acme/infra", "ref=refs/heads/" + branch}};
        EXPECT_TRUE(RunTask(Trust(catalog_, clock_).Add(auth::Principal::Operator(), ns, trust)));
      }
    }
  }

  std::string ClaimsFor(std::string_view ref = "refs/heads/main",
                        std::string_view audience = kAudience) const {
    return fmt::format(
        R"({{"iss":"https://id.example.com","sub":"repo:acme/infra:ref:{0}","aud":"{1}",)"
        R"("exp":{2},"iat":{3},"repository":"acme/infra","ref":"{0}","sha":"12ab","run_id":"7",)"
        R"("actor":"ada","secret_thing":"x"}})",
        ref, audience, clock_.Now() + 300, clock_.Now());
  }
  Result<CreatedToken> Exchange(std::string token, std::string ns = "acme") {
    return RunTask(exchange_.Exchange({.token = std::move(token),
                                       .ns = std::move(ns),
                                       .audience = std::string(kAudience),
                                       .from = {.address = "192.0.2.1"}}));
  }
  Error Refusal(std::string token, std::string ns = "acme") {
    auto made = Exchange(std::move(token), std::move(ns));
    EXPECT_FALSE(made);
    EXPECT_TRUE(RunTask(catalog_.tokens().ListTokens()).value().empty());
    return made ? Error() : made.error();
  }

  ManualClock clock_;
  TestCatalog catalog_;
  FakeIssuerClient issuers_;
  TokenExchange exchange_{catalog_, catalog_, catalog_, issuers_, clock_};
};

TEST_F(TokenExchangeTest, AJobGetsATokenForItsNamespaceAlone) {
  auto made = Exchange(issuers_.Token(ClaimsFor()), "ACME");
  ASSERT_TRUE(made) << made.error().message << made.error().detail;
  const TokenRecord& record = made->record;
  EXPECT_TRUE(made->text.starts_with("koya_"));
  EXPECT_TRUE(record.name.starts_with("ci-"));
  EXPECT_EQ(record.scope, Scope::kPublish);
  EXPECT_EQ(record.namespaces, std::vector<std::string>{"acme"});
  EXPECT_EQ(record.expires_at, clock_.Now() + 900);
  EXPECT_EQ(record.created_by, "oidc:id.example.com repo:acme/infra:ref:refs/heads/main");
  EXPECT_EQ(record.account_id, "");
  const auto kept = wire::DecodeProvenance(record.provenance).value();
  EXPECT_EQ(kept, (wire::Provenance{{"iss", "https://id.example.com"},
                                    {"sub", "repo:acme/infra:ref:refs/heads/main"},
                                    {"repository", "acme/infra"},
                                    {"ref", "refs/heads/main"},
                                    {"sha", "12ab"},
                                    {"run_id", "7"},
                                    {"actor", "ada"}}));
  EXPECT_EQ(RunTask(catalog_.tokens().FindToken(record.secret)).value().provenance,
            record.provenance);
  for (const auto& trust : issuers_.trusts)
    EXPECT_EQ(trust, upstream::IssuerTrust::OwnersOf("acme"));
  EXPECT_TRUE(Exchange(issuers_.Token(ClaimsFor("refs/heads/release")), "secret"));
}

TEST_F(TokenExchangeTest, ItIsGoneADayAfterItsEnd) {
  ASSERT_TRUE(Exchange(issuers_.Token(ClaimsFor())));
  const UnixSeconds end = clock_.Now() + 900;
  ASSERT_TRUE(RunTask(catalog_.sessions().RemoveExpiredSignIns(end + 86'399)));
  EXPECT_EQ(RunTask(catalog_.tokens().ListTokens()).value().size(), 1u);
  ASSERT_TRUE(RunTask(catalog_.sessions().RemoveExpiredSignIns(end + 86'400)));
  EXPECT_EQ(RunTask(catalog_.tokens().ListTokens()).value().size(), 0u);
}

TEST_F(TokenExchangeTest, WhoIsNotTrustedLearnsNothing) {
  const std::string good = issuers_.Token(ClaimsFor());
  const std::string stranger =
      oidc::SignedToken(oidc::FakeKey::Ed25519('x'), "EdDSA", "one",
                        R"({"iss":"https://evil.example","sub":"a","aud":"b","exp":1})");
  const Error unknown = Refusal(good, "nowhere");
  EXPECT_EQ(unknown.kind, ErrorKind::kForbidden);
  auto same = [&](const Error& error, std::string_view ns) {
    std::string words = unknown.message;
    for (std::size_t at = 0; (at = words.find("nowhere", at)) != std::string::npos;) {
      words.replace(at, 7, ns);
    }
    EXPECT_EQ(error.kind, ErrorKind::kForbidden);
    EXPECT_EQ(error.message, words);
  };
  same(Refusal(good, "beta"), "beta");
  same(Refusal(good, "open"), "open");
  same(Refusal(stranger, "acme"), "acme");
  same(Refusal(stranger, "secret"), "secret");
  EXPECT_TRUE(issuers_.asked.empty()) << "nobody is asked for whom nobody trusts";
  // A private namespace tells nobody what it trusts.
  same(Refusal(issuers_.Token(ClaimsFor("refs/heads/dev")), "secret"), "secret");
  same(Refusal(issuers_.Token(ClaimsFor("refs/heads/main", "https://other.example")), "secret"),
       "secret");
  const Error logged = Refusal(issuers_.Token(ClaimsFor("refs/heads/dev")), "secret");
  EXPECT_TRUE(logged.detail.contains("\"ref\" is \"refs/heads/dev\"")) << logged.detail;
  issuers_.down = true;
  same(Refusal(good, "secret"), "secret");
  EXPECT_EQ(Refusal(good, "a b").kind, ErrorKind::kForbidden);
}

TEST_F(TokenExchangeTest, APublicNamespaceSaysWhy) {
  struct Row {
    std::string token;
    ErrorKind kind;
    std::string_view words;
  };
  using enum ErrorKind;
  std::string expired = ClaimsFor();
  const std::string end = fmt::format("{}", clock_.Now() + 300);
  expired.replace(expired.find(end), end.size(), "1000000000");
  for (const Row& row : {
           Row{"", kUnauthenticated, "token is refused"},
           {"x", kUnauthenticated, "token is refused"},
           {std::string(20'000, 'x'), kUnauthenticated, "longer than 16 KiB"},
           {issuers_.Token("{}"), kUnauthenticated, "token is refused"},
           {issuers_.Token(ClaimsFor("refs/heads/dev")), kForbidden, "\"refs/heads/dev\""},
           {issuers_.Token(ClaimsFor("refs/heads/main", "https://x.example")), kUnauthenticated,
            "token is refused"},
           {issuers_.Token(expired), kUnauthenticated, "token is refused"},
           {oidc::SignedToken(oidc::FakeKey::Ed25519('x'), "EdDSA", "one", ClaimsFor()),
            kUnauthenticated, "token is refused"},
           {oidc::HmacToken("s", R"({"alg":"HS256"})", ClaimsFor()), kUnauthenticated, "refused"},
           {oidc::InBase64Url(R"({"alg":"none"})") + "." + oidc::InBase64Url(ClaimsFor()) + ".",
            kUnauthenticated, "refused"},
           {issuers_.Token(ClaimsFor(), "unknown"), kUnauthenticated, "token is refused"},
       }) {
    const Error error = Refusal(row.token);
    EXPECT_EQ(error.kind, row.kind) << error.message;
    EXPECT_TRUE(error.message.contains(row.words)) << error.message;
  }
  issuers_.down = true;
  EXPECT_EQ(Refusal(issuers_.Token(ClaimsFor())).kind, kBadUpstream);
}

TEST_F(TokenExchangeTest, NobodyIsAskedForATokenThatIsRefusedWhateverTheKeysAre) {
  std::string elsewhere = ClaimsFor(), expired = ClaimsFor();
  elsewhere.replace(elsewhere.find("koya.example.com"), 4, "ayok");
  const std::string end = fmt::format("{}", clock_.Now() + 300);
  expired.replace(expired.find(end), end.size(), "1000000000");
  for (const std::string& token :
       {issuers_.Token(elsewhere), issuers_.Token(expired),
        oidc::HmacToken("s", R"({"alg":"HS256"})", ClaimsFor()), std::string("a.b.c")}) {
    EXPECT_EQ(Refusal(token).kind, ErrorKind::kUnauthenticated);
  }
  EXPECT_EQ(issuers_.asked, std::vector<std::string>());
  // The key of a token need not be named.
  EXPECT_TRUE(Exchange(issuers_.Token(ClaimsFor(), "")));
  EXPECT_FALSE(issuers_.asked.empty());
}

TEST_F(TokenExchangeTest, ThereIsABoundOnTries) {
  for (unsigned each = 0; each < ExchangeBound::kMost; ++each) {
    EXPECT_EQ(Refusal("x").kind, ErrorKind::kUnauthenticated);
  }
  const Error throttled = Refusal(issuers_.Token(ClaimsFor()));
  EXPECT_EQ(throttled.kind, ErrorKind::kThrottled);
  EXPECT_EQ(throttled.retry_after, 60u);
  clock_.now += 60;
  EXPECT_TRUE(Exchange(issuers_.Token(ClaimsFor())));
}

TEST(ExchangeBoundTest, CountsNetworks) {
  ManualClock clock;
  ExchangeBound bound(clock);
  auto use_up = [&](std::string_view address) {
    for (unsigned each = 0; each < ExchangeBound::kMost; ++each) {
      EXPECT_TRUE(bound.Enter(address)) << address;
    }
    EXPECT_FALSE(bound.Enter(address)) << address;
  };
  use_up("192.0.2.1");
  EXPECT_TRUE(bound.Enter("192.0.2.2"));
  use_up("2001:db8:1:2:3:4:5:6");
  EXPECT_FALSE(bound.Enter("2001:db8:1:2:ffff::1"));
  EXPECT_TRUE(bound.Enter("2001:db8:1:3::1"));
  use_up("2001:db8::1");
  EXPECT_FALSE(bound.Enter("2001:db8::2"));
  EXPECT_TRUE(bound.Enter("::1"));
  EXPECT_TRUE(bound.Enter("::ffff:192.0.2.1"));
  EXPECT_TRUE(bound.Enter(""));
}

TEST(ProvenanceTest, IsBounded) {
  std::string json = R"({"iss":"https://id.example.com","sub":"s","aud":"a","exp":1,"run_id":7)";
  for (std::string_view name :
       {"repository", "project_path", "ref", "ref_type", "sha", "environment", "workflow",
        "workflow_ref", "run_attempt", "pipeline_id", "actor", "job_id"}) {
    json += fmt::format(R"(,"{}":"{}")", name, std::string(2000, 'x'));
  }
  const std::string text = ProvenanceOf(*oidc::Claims::Parse(json + "}"));
  EXPECT_LE(text.size(), kMostProvenance);
  const auto kept = wire::DecodeProvenance(text).value();
  EXPECT_LE(kept.at("repository").size(), 520u);
  EXPECT_EQ(kept.at("sub"), "s");
  EXPECT_FALSE(kept.contains("job_id"));
  const auto number = wire::DecodeProvenance(ProvenanceOf(*oidc::Claims::Parse(
      R"({"iss":"https://a.example","sub":"s","aud":"a","exp":1,"run_id":7})")));
  EXPECT_EQ(number->at("run_id"), "7");
}

}  // namespace
}  // namespace koya::service
