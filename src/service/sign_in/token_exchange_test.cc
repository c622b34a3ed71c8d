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
#include "service/access/tokens.h"
#include "service/sign_in/issuer_client_fake.h"
#include "service/sign_in/trust.h"
#include "wire/identity.h"

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
        EXPECT_TRUE(RunTask(trust_.Add(auth::Principal::Operator(), ns, trust)));
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
  Trust trust_{catalog_, catalog_, clock_};
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

TEST_F(TokenExchangeTest, AJobsTokenIsGoodOnceInANamespace) {
  auto named = [this](std::string_view id, int issued) {
    std::string claims = ClaimsFor();
    return issuers_.Token(
        claims.replace(0, 1, fmt::format(R"({{"jti":"{}","nbf":{},)", id, issued)));
  };
  const std::string plain = issuers_.Token(ClaimsFor());
  ASSERT_TRUE(Exchange(plain));
  ASSERT_TRUE(Exchange(named("one", 1)));
  // What has a name is known by it, whatever else it says.
  for (const std::string& again : {plain, named("one", 1), named("one", 2)}) {
    for (std::string ns : {"acme", "ACME"}) {
      auto refused = Exchange(again, ns);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind, ErrorKind::kTokenUsed) << refused.error().message;
    }
  }
  EXPECT_EQ(RunTask(catalog_.tokens().ListTokens())->size(), 2u);
  EXPECT_TRUE(Exchange(plain, "secret")) << "another namespace, which trusts it, too";
  EXPECT_TRUE(Exchange(named("two", 1)));
  // One that is refused is not used up.
  EXPECT_EQ(Exchange(named("three", 1), "beta").error().kind, ErrorKind::kForbidden);
  EXPECT_TRUE(Exchange(named("three", 1)));
  // It is remembered for as long as it is good.
  clock_.now += 300 + 59;
  ASSERT_TRUE(RunTask(catalog_.sessions().RemoveExpiredSignIns(clock_.Now())));
  EXPECT_EQ(Exchange(plain).error().kind, ErrorKind::kTokenUsed);
  clock_.now += 2;
  EXPECT_GE(RunTask(catalog_.sessions().RemoveExpiredSignIns(clock_.Now())).value(), 5u);
  EXPECT_EQ(Exchange(plain).error().kind, ErrorKind::kUnauthenticated);
}

TEST_F(TokenExchangeTest, TokensGoWithWhatTheyWereTrustedBy) {
  const auth::Principal owner = auth::Principal::Operator();
  auto main = Exchange(issuers_.Token(ClaimsFor()));
  auto release = Exchange(issuers_.Token(ClaimsFor("refs/heads/release")));
  auto other = Exchange(issuers_.Token(ClaimsFor()), "secret");
  ASSERT_TRUE(main && release && other);
  const std::vector<TrustRecord> trusted = RunTask(trust_.List(owner, "acme")).value();
  auto first = std::ranges::find(trusted, main->record.trust_id, &TrustRecord::id);
  ASSERT_NE(first, trusted.end());
  EXPECT_EQ(first->rules.back(), "ref=refs/heads/main");
  ASSERT_TRUE(RunTask(trust_.Remove(owner, "acme", first->id)));
  EXPECT_EQ(RunTask(catalog_.tokens().FindToken(main->record.secret)).error().kind,
            ErrorKind::kNotFound);
  EXPECT_TRUE(RunTask(catalog_.tokens().FindToken(release->record.secret)));
  EXPECT_TRUE(RunTask(catalog_.tokens().FindToken(other->record.secret)));
}

TEST_F(TokenExchangeTest, OwnersListTokensOfTheirJobsAndEndThem) {
  const auth::Principal owner{"owner", Scope::kAdmin, {"acme"}};
  auto names = [&](std::string ns) {
    std::vector<std::string> all;
    for (const auto& each : RunTask(trust_.ListTokens(owner, std::move(ns))).value()) {
      all.push_back(each.name);
    }
    return all;
  };
  auto first = Exchange(issuers_.Token(ClaimsFor()));
  clock_.now += 1;
  auto second = Exchange(issuers_.Token(ClaimsFor("refs/heads/release")));
  auto other = Exchange(issuers_.Token(ClaimsFor()), "secret");
  ASSERT_TRUE(first && second && other);
  EXPECT_EQ(names("ACME"), (std::vector<std::string>{second->record.name, first->record.name}));
  for (std::string ns : {"secret", "beta"}) {
    EXPECT_EQ(RunTask(trust_.ListTokens(owner, ns)).error().kind, ErrorKind::kForbidden);
    EXPECT_EQ(RunTask(trust_.EndToken(owner, ns, other->record.name)).error().kind,
              ErrorKind::kForbidden);
  }
  for (std::string name : {other->record.name, std::string("ci-none"), std::string()}) {
    EXPECT_EQ(RunTask(trust_.EndToken(owner, "acme", name)).error().kind, ErrorKind::kNotFound);
  }
  ASSERT_TRUE(RunTask(trust_.EndToken(owner, "acme", first->record.name)));
  EXPECT_EQ(names("acme"), std::vector<std::string>{second->record.name});
  EXPECT_EQ(RunTask(catalog_.tokens().FindToken(first->record.secret)).error().kind,
            ErrorKind::kNotFound);
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
  // A private namespace does not reveal its trusts.
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
           Row{"", kUnauthenticated, "token is rejected"},
           {"x", kUnauthenticated, "token is rejected"},
           {std::string(20'000, 'x'), kUnauthenticated, "longer than 16 KiB"},
           {issuers_.Token("{}"), kUnauthenticated, "token is rejected"},
           {issuers_.Token(ClaimsFor("refs/heads/dev")), kForbidden, "\"refs/heads/dev\""},
           {issuers_.Token(ClaimsFor("refs/heads/main", "https://x.example")), kUnauthenticated,
            "token is rejected"},
           {issuers_.Token(expired), kUnauthenticated, "token is rejected"},
           {oidc::SignedToken(oidc::FakeKey::Ed25519('x'), "EdDSA", "one", ClaimsFor()),
            kUnauthenticated, "token is rejected"},
           {oidc::HmacToken("s", R"({"alg":"HS256"})", ClaimsFor()), kUnauthenticated, "rejected"},
           {oidc::InBase64Url(R"({"alg":"none"})") + "." + oidc::InBase64Url(ClaimsFor()) + ".",
            kUnauthenticated, "rejected"},
           {issuers_.Token(ClaimsFor(), "unknown"), kUnauthenticated, "token is rejected"},
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
  for (unsigned each = 0; each < TokenExchangeRateLimiter::kMost; ++each) {
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
  TokenExchangeRateLimiter bound(clock);
  auto use_up = [&](std::string_view address) {
    for (unsigned each = 0; each < TokenExchangeRateLimiter::kMost; ++each) {
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
