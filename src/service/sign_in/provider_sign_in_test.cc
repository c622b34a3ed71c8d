// Signing in elsewhere: the way there and back, and everything that can be wrong with it.
#include "service/sign_in/provider_sign_in.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "auth/principal.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "oidc/authorization_code.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/identity_providers.h"
#include "service/sign_in/issuer_client_fake.h"
#include "signing/sealer.h"

namespace koya::service {
namespace {

constexpr std::string_view kCallback = "https://koya.example.com/-/oidc/corp/callback";

// The value of a parameter in a URL's query, as it stands there.
std::string ParameterOf(const std::string& url, std::string_view name) {
  const std::string key = fmt::format("{}=", name);
  std::size_t begin = url.find("&" + key);
  if (begin == std::string::npos) return {};
  begin += key.size() + 1;
  return url.substr(begin, url.find('&', begin) - begin);
}

class ProviderSignInTest : public testing::Test {
 protected:
  ProviderSignInTest() {
    catalog_.groups = {"platform"};
    for (std::string_view name : {"corp", "other"}) {
      NewIdentityProvider provider{.name = std::string(name),
                                   .issuer = issuers_.document.issuer,
                                   .client_id = "koya",
                                   .client_secret = "s3cret",
                                   .groups_claim = "groups",
                                   .groups = {{"eng", "platform"}}};
      EXPECT_TRUE(RunTask(providers_.Add(auth::Principal::Operator(), provider)));
    }
    for (IdentityProviderRecord& each : catalog_.providers) each.enabled = true;
  }

  AuthorizationRedirect Begin(std::string to = "/after") {
    auto begun = RunTask(sign_in_.Begin("corp", std::string(kCallback), std::move(to)));
    EXPECT_TRUE(begun) << begun.error().message;
    return begun.value_or(AuthorizationRedirect());
  }
  std::string ClaimsFor(const AuthorizationRedirect& begun, std::string_view more = {}) const {
    return fmt::format(
        R"({{"iss":"https://id.example.com","sub":"42","aud":"koya","exp":{},"iat":{},)"
        R"("nonce":"{}","preferred_username":"ada","groups":["eng","x"]{}}})",
        clock_.Now() + 300, clock_.Now(), ParameterOf(begun.location, "nonce"), more);
  }
  // What the token endpoint answers from now on.
  void AnswerWith(std::string_view token) {
    issuers_.answer = fmt::format(R"({{"access_token":"a","id_token":"{}"}})", token);
  }
  static ProviderAnswer Back(const AuthorizationRedirect& begun) {
    return {.sealed_state = begun.sealed_state,
            .state = ParameterOf(begun.location, "state"),
            .code = "the-code",
            .iss = {},
            .error = {},
            .error_description = {}};
  }
  Result<SignInResult> Finish(ProviderAnswer answer, std::string provider = "corp") {
    return RunTask(sign_in_.Finish({"192.0.2.1", "Test/1"}, std::move(provider),
                                   std::string(kCallback), std::move(answer)));
  }
  // Denied, and no user was signed in.
  void ExpectRefused(const Result<SignInResult>& finished, std::string_view words,
                     ErrorKind kind = ErrorKind::kUnauthenticated) {
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().kind, kind) << finished.error().message;
    EXPECT_TRUE(finished.error().message.contains(words)) << finished.error().message;
    EXPECT_TRUE(catalog_.recorded.empty());
  }

  ManualClock clock_;
  FakeIssuerClient issuers_;
  FakeIdentityCatalog catalog_;
  signing::Sealer sealer_{"the secret of this server"};
  IdentityProviders providers_{catalog_, issuers_, sealer_, clock_};
  ProviderSignIn sign_in_{providers_, catalog_, issuers_, sealer_, clock_};
};

TEST_F(ProviderSignInTest, TheAddressIsRecordedThatTheProviderIsSureOf) {
  for (const auto& [more, email] :
       {std::pair(R"(,"email":"ada@example.com","email_verified":true)", "ada@example.com"),
        std::pair(R"(,"email":"ada@example.com","email_verified":false)", ""), std::pair("", "")}) {
    const AuthorizationRedirect begun = Begin();
    AnswerWith(issuers_.Token(ClaimsFor(begun, more)));
    ASSERT_TRUE(Finish(Back(begun))) << more;
    EXPECT_EQ(catalog_.recorded.back().email, email) << more;
  }
}

TEST_F(ProviderSignInTest, SomebodyComesIn) {
  const AuthorizationRedirect begun = Begin("/login?x=1");
  EXPECT_TRUE(begun.location.starts_with("https://id.example.com/authorize?response_type=code"));
  EXPECT_EQ(ParameterOf(begun.location, "code_challenge_method"), "S256");
  AnswerWith(issuers_.Token(ClaimsFor(begun)));
  auto finished = Finish(Back(begun));
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(finished->account.name, "ada");
  EXPECT_EQ(finished->method, "oidc:corp");
  EXPECT_EQ(finished->to, "/login?x=1");
  EXPECT_EQ(sign_in_.Destination("Corp", begun.sealed_state), "/login?x=1");
  EXPECT_EQ(sign_in_.Destination("other", begun.sealed_state), "/");
  EXPECT_EQ(sign_in_.Destination("corp", ""), "/");
  ASSERT_EQ(catalog_.recorded.size(), 1u);
  const IdentityClaim& claim = catalog_.recorded.front();
  EXPECT_EQ(claim.provider, "corp");
  EXPECT_EQ(claim.subject, "42");
  EXPECT_EQ(claim.groups, std::vector<std::string>{"platform"});
  ASSERT_EQ(issuers_.forms.size(), 1u);
  EXPECT_TRUE(issuers_.forms[0].body.contains("code=the-code&"));
  EXPECT_TRUE(issuers_.forms[0].authorization.starts_with("Basic "));
  // The verifier that is shown is that of the challenge.
  const std::string& form = issuers_.forms[0].body;
  const std::string verifier = ParameterOf(form, "code_verifier");
  EXPECT_EQ(oidc::CodeChallenge(verifier), ParameterOf(begun.location, "code_challenge"));
}

auth::Principal Administrator(std::string id) {
  auto rights = std::make_shared<AccountRights>();
  rights->account = {.id = id, .name = id, .admin = true};
  return {.name = std::move(id),
          .scope = Scope::kAdmin,
          .namespaces = {},
          .account = std::move(rights)};
}

TEST_F(ProviderSignInTest, ATrialTellsWhatWouldBeAndRecordsNobody) {
  auto begun = RunTask(sign_in_.BeginTrial(Administrator("root"), "corp", std::string(kCallback)));
  ASSERT_TRUE(begun) << begun.error().message;
  EXPECT_TRUE(sign_in_.IsTrial("Corp", begun->sealed_state));
  EXPECT_FALSE(sign_in_.IsTrial("other", begun->sealed_state));
  EXPECT_FALSE(sign_in_.IsTrial("corp", Begin().sealed_state));
  EXPECT_FALSE(sign_in_.IsTrial("corp", ""));
  AnswerWith(issuers_.Token(ClaimsFor(*begun, R"(,"email_verified":true,"n":7)")));
  auto tried = RunTask(
      sign_in_.FinishTrial(Administrator("root"), "corp", std::string(kCallback), Back(*begun)));
  ASSERT_TRUE(tried) << tried.error().message;
  EXPECT_EQ(tried->provider, "corp");
  EXPECT_EQ(tried->wanted_name, "ada");
  EXPECT_EQ(tried->theirs, (std::vector<std::string>{"eng", "x"}));
  EXPECT_EQ(tried->groups, std::vector<std::string>{"platform"});
  using Claim = std::pair<std::string, std::string>;
  for (const Claim& claim : {Claim("sub", "42"), Claim("groups", "eng, x"),
                             Claim("email_verified", "true"), Claim("n", "7")}) {
    EXPECT_EQ(std::ranges::count(tried->claims, claim), 1) << claim.first;
  }
  EXPECT_TRUE(catalog_.recorded.empty());
}

TEST_F(ProviderSignInTest, ATrialIsNoSignInAndASignInNoTrial) {
  const AuthorizationRedirect trial =
      RunTask(sign_in_.BeginTrial(Administrator("root"), "corp", std::string(kCallback))).value();
  AnswerWith(issuers_.Token(ClaimsFor(trial)));
  ExpectRefused(Finish(Back(trial)), "not started in this browser");
  const AuthorizationRedirect begun = Begin();
  AnswerWith(issuers_.Token(ClaimsFor(begun)));
  auto tried = RunTask(
      sign_in_.FinishTrial(Administrator("root"), "corp", std::string(kCallback), Back(begun)));
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.error().kind, ErrorKind::kUnauthenticated);
}

TEST_F(ProviderSignInTest, ATrialIsOfTheAdministratorWhoBeganIt) {
  const AuthorizationRedirect trial =
      RunTask(sign_in_.BeginTrial(Administrator("root"), "corp", std::string(kCallback))).value();
  AnswerWith(issuers_.Token(ClaimsFor(trial)));
  auto others = RunTask(
      sign_in_.FinishTrial(Administrator("eve"), "corp", std::string(kCallback), Back(trial)));
  ASSERT_FALSE(others);
  EXPECT_EQ(others.error().kind, ErrorKind::kUnauthenticated);
  for (const auth::Principal& by :
       {auth::Principal{"t", Scope::kRead, {}}, auth::Principal{"t", Scope::kAdmin, {"acme"}}}) {
    auto begun = RunTask(sign_in_.BeginTrial(by, "corp", std::string(kCallback)));
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().kind, ErrorKind::kForbidden);
    auto finished = RunTask(sign_in_.FinishTrial(by, "corp", std::string(kCallback), Back(trial)));
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().kind, ErrorKind::kForbidden);
  }
}

TEST_F(ProviderSignInTest, NothingIsTheSameTwice) {
  const AuthorizationRedirect one = Begin();
  const AuthorizationRedirect two = Begin();
  for (std::string_view name : {"state", "nonce", "code_challenge"}) {
    EXPECT_NE(ParameterOf(one.location, name), ParameterOf(two.location, name)) << name;
    EXPECT_FALSE(one.sealed_state.contains(ParameterOf(one.location, name)));
  }
  EXPECT_EQ(ParameterOf(one.location, "state").size(), 22u);
  EXPECT_LT(Begin(std::string(ProviderSignIn::kMostTo, 'x')).sealed_state.size(), 3500u)
      << "a cookie must hold it";
}

TEST_F(ProviderSignInTest, AnAddressThatIsTooLongIsForgotten) {
  const AuthorizationRedirect begun = Begin("/" + std::string(ProviderSignIn::kMostTo, 'x'));
  AnswerWith(issuers_.Token(ClaimsFor(begun)));
  EXPECT_EQ(Finish(Back(begun))->to, "/");
}

TEST_F(ProviderSignInTest, OnlyTheBrowserThatBeganFinishes) {
  const AuthorizationRedirect begun = Begin();
  const AuthorizationRedirect others = Begin();
  AnswerWith(issuers_.Token(ClaimsFor(begun)));
  constexpr std::string_view kWords = "was not started in this browser";
  const std::function<void(ProviderAnswer&)> spoilt[] = {
      [](ProviderAnswer& answer) { answer.sealed_state.clear(); },
      [](ProviderAnswer& answer) { answer.sealed_state = "bm90IHNlYWxlZA=="; },
      [](ProviderAnswer& answer) { answer.sealed_state.pop_back(); },
      [](ProviderAnswer& answer) { answer.sealed_state[30] ^= 1; },
      [&](ProviderAnswer& answer) { answer.sealed_state = others.sealed_state; },
      [](ProviderAnswer& answer) { answer.state.clear(); },
      [](ProviderAnswer& answer) { answer.state += "x"; },
      [&](ProviderAnswer& answer) { answer.state = ParameterOf(others.location, "state"); },
  };
  for (const auto& spoil : spoilt) {
    ProviderAnswer answer = Back(begun);
    spoil(answer);
    ExpectRefused(Finish(answer), kWords);
  }
  ExpectRefused(Finish(Back(begun), "other"), kWords);
  clock_.now += 600;
  ExpectRefused(Finish(Back(begun)), kWords);
  EXPECT_TRUE(issuers_.forms.empty()) << "no code is given to anybody";
  ExpectRefused(Finish(Back(begun), "nobody"), "", ErrorKind::kNotFound);
}

TEST_F(ProviderSignInTest, WhatTheProviderSaysNoToIsToldInItsWords) {
  const AuthorizationRedirect begun = Begin();
  ProviderAnswer denied = Back(begun);
  denied.error = "access_denied";
  denied.error_description = "not \x01 you";
  ExpectRefused(Finish(denied), "\"corp\" denied the sign-in: access_denied (not \\x01 you)");
  for (const std::string& code : {std::string(), std::string(5000, 'x')}) {
    ProviderAnswer none = Back(begun);
    none.code = code;
    ExpectRefused(Finish(none), "sent no usable code");
  }
  ProviderAnswer elsewhere = Back(begun);
  elsewhere.iss = "https://evil.example";
  ExpectRefused(Finish(elsewhere), "the response is from \"https://evil.example\"");
  issuers_.document.names_itself = true;
  ExpectRefused(Finish(Back(begun)), "does not name its issuer");
  EXPECT_TRUE(issuers_.forms.empty());
}

TEST_F(ProviderSignInTest, TokenEndpointsFail) {
  const AuthorizationRedirect begun = Begin();
  struct Row {
    Result<std::string> answer;
    ErrorKind kind;
    std::string_view words;
  };
  for (const Row& row : {
           Row{FailUnauthenticated("refused the code"), ErrorKind::kUnauthenticated,
               "refused the code"},
           {Fail(ErrorKind::kUpstreamTimeout, "slow"), ErrorKind::kUpstreamTimeout, "slow"},
           {"<html>", ErrorKind::kBadUpstream, "token endpoint's response"},
           {"{}", ErrorKind::kBadUpstream, "without an id_token"},
           {R"({"id_token":7})", ErrorKind::kBadUpstream, "token endpoint's response"},
           {R"({"id_token":"x"})", ErrorKind::kUnauthenticated, "is rejected"},
       }) {
    issuers_.answer = row.answer;
    ExpectRefused(Finish(Back(begun)), row.words, row.kind);
  }
}

TEST_F(ProviderSignInTest, TokensOfOthersAreRefused) {
  const AuthorizationRedirect begun = Begin();
  const std::string good = ClaimsFor(begun);
  auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = good;
    return changed.replace(changed.find(from), from.size(), to);
  };
  const std::string nonce = ParameterOf(begun.location, "nonce");
  const std::string expiry = fmt::format("{}", clock_.Now() + 300);
  const oidc::FakeKey stranger = oidc::FakeKey::Ed25519('x');
  const std::string tokens[] = {
      issuers_.Token(with(nonce, "another")),
      issuers_.Token(with("\"nonce\"", "\"no_nonce\"")),
      issuers_.Token(with("\"koya\"", "\"another client\"")),
      issuers_.Token(with("https://id.example.com", "https://evil.example")),
      issuers_.Token(with(expiry, "1000000000")),
      oidc::SignedToken(stranger, "EdDSA", "one", good),
      oidc::HmacToken("s3cret", R"({"alg":"HS256"})", good),
      oidc::InBase64Url(R"({"alg":"none"})") + "." + oidc::InBase64Url(good) + ".",
  };
  for (const std::string& token : tokens) {
    AnswerWith(token);
    ExpectRefused(Finish(Back(begun)), "the token is rejected");
  }
}

TEST_F(ProviderSignInTest, RotatedKeysAreFetchedAnew) {
  const AuthorizationRedirect begun = Begin();
  issuers_.current_keys = oidc::Jwks({issuers_.key.Jwk("two")});
  AnswerWith(issuers_.Token(ClaimsFor(begun), "two"));
  EXPECT_TRUE(Finish(Back(begun)));
  EXPECT_EQ(std::ranges::count(issuers_.asked, "keys refresh https://id.example.com"), 1);
  AnswerWith(issuers_.Token(ClaimsFor(begun), "three"));
  catalog_.recorded.clear();
  ExpectRefused(Finish(Back(begun)), "the token is rejected");
}

TEST_F(ProviderSignInTest, AnIssuerThatIsDownIsSaid) {
  const AuthorizationRedirect begun = Begin();
  issuers_.down = true;
  ExpectRefused(Finish(Back(begun)), "does not answer", ErrorKind::kBadUpstream);
  auto failed = RunTask(sign_in_.Begin("corp", std::string(kCallback), "/"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kBadUpstream);
  issuers_.down = false;
  issuers_.document.authorization_endpoint.clear();
  failed = RunTask(sign_in_.Begin("corp", std::string(kCallback), "/"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kBadUpstream);
}

TEST_F(ProviderSignInTest, ADisabledProviderSignsNobodyIn) {
  const AuthorizationRedirect begun = Begin();
  AnswerWith(issuers_.Token(ClaimsFor(begun)));
  catalog_.providers[0].enabled = false;
  ExpectRefused(Finish(Back(begun)), "is disabled", ErrorKind::kForbidden);
  auto again = RunTask(sign_in_.Begin("corp", std::string(kCallback), "/"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kForbidden);
  EXPECT_TRUE(again.error().message.contains("koya idp test corp")) << again.error().message;
  EXPECT_TRUE(
      RunTask(sign_in_.BeginTrial(auth::Principal::Operator(), "corp", std::string(kCallback))));
  EXPECT_TRUE(RunTask(sign_in_.Begin("other", std::string(kCallback), "/")));
}

}  // namespace
}  // namespace koya::service
