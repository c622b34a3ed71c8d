#include "service/sign_in/client_login.h"

#include "base/encoding.h"
#include "base/text.h"
#include "catalog/access_catalog.h"
#include "catalog/token_catalog.h"
#include "service/sign_in/sign_in_fixture_fake.h"

namespace koya::service {
namespace {

using auth::Principal;

// RFC 7636 appendix B.
constexpr const char* kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
constexpr const char* kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
constexpr const char* kRedirect = "http://localhost:10005/login";

LoginParameters Good() {
  return {.response_type = "code",
          .client_id = "terraform-cli",
          .redirect_uri = kRedirect,
          .state = "a-state",
          .code_challenge = kChallenge,
          .code_challenge_method = "S256",
          .scope = ""};
}

using Parameter = std::string LoginParameters::*;

LoginParameters With(Parameter parameter, std::string value) {
  LoginParameters parameters = Good();
  parameters.*parameter = std::move(value);
  return parameters;
}

TEST(LoginRequestTest, TakesWhatTheClientsSend) {
  const Result<LoginRequest> request = LoginRequest::Parse(Good());
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->redirect_uri(), kRedirect);
  EXPECT_EQ(request->state(), "a-state");
  EXPECT_EQ(request->challenge(), kChallenge);
  EXPECT_EQ(request->scope(), Scope::kRead);
  for (int port = kFirstPort; port <= kLastPort; ++port) {
    const std::string uri = "http://localhost:" + std::to_string(port) + "/login";
    EXPECT_TRUE(LoginRequest::Parse(With(&LoginParameters::redirect_uri, uri))) << uri;
  }
  for (const std::string& state :
       {std::string("x"), std::string(1024, 'x'), std::string("~ &#%+")}) {
    EXPECT_TRUE(LoginRequest::Parse(With(&LoginParameters::state, state))) << state;
  }
  EXPECT_EQ(LoginRequest::Parse(With(&LoginParameters::scope, "read"))->scope(), Scope::kRead);
  EXPECT_EQ(LoginRequest::Parse(With(&LoginParameters::scope, "publish"))->scope(),
            Scope::kPublish);
  EXPECT_EQ(LoginRequest::Parse(With(&LoginParameters::scope, "admin"))->scope(), Scope::kAdmin);
}

TEST(LoginRequestTest, RefusesAForeignRedirect) {
  for (const std::string& uri : {"",
                                 "http://localhost:10005",
                                 "http://localhost:10005/",
                                 "http://localhost:10005/login/",
                                 "http://localhost:10005/LOGIN",
                                 "http://localhost:10005/login?x=y",
                                 "http://localhost:10005/login#x",
                                 "http://localhost:10005/x/login",
                                 "http://localhost:10005//login",
                                 "https://localhost:10005/login",
                                 "HTTP://localhost:10005/login",
                                 "http://LOCALHOST:10005/login",
                                 "http://localhost./login",
                                 "http://localhost/login",
                                 "http://localhost:/login",
                                 "http://localhost:9999/login",
                                 "http://localhost:10011/login",
                                 "http://localhost:010005/login",
                                 "http://localhost:+1005/login",
                                 "http://localhost:-1005/login",
                                 "http://localhost: 1005/login",
                                 "http://localhost:1000x/login",
                                 "http://localhost:0x271/login",
                                 "http://localhost:75541/login",
                                 "http://localhost:10005\n/login",
                                 "http://127.0.0.1:10005/login",
                                 "http://[::1]:10005/login",
                                 "http://localhost.evil.example:10005/login",
                                 "http://user@localhost:10005/login",
                                 "http://localhost:10005@evil.example/login",
                                 "http://evil.example/login",
                                 "http://localhost:10005/login http://evil.example",
                                 "//localhost:10005/login",
                                 " http://localhost:10005/login",
                                 "http://localhost:10005/login ",
                                 "javascript:alert(1)//localhost:10005/login",
                                 "http://localhost:１0005/login"}) {
    const Result<LoginRequest> request =
        LoginRequest::Parse(With(&LoginParameters::redirect_uri, uri));
    ASSERT_FALSE(request) << uri;
    EXPECT_EQ(request.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(request.error().message.contains("\"redirect_uri\"")) << request.error().message;
  }
}

TEST(LoginRequestTest, RefusesEverythingElse) {
  struct Row {
    Parameter parameter;
    std::string name;
    std::vector<std::string> values;
  };
  const std::string challenge = kChallenge;
  const std::vector<Row> rows = {
      {&LoginParameters::response_type, "response_type", {"", "token", "Code", "code token"}},
      {&LoginParameters::client_id, "client_id", {"", "tofu", "Terraform-CLI", "terraform-cli "}},
      {&LoginParameters::code_challenge_method,
       "code_challenge_method",
       {"", "plain", "s256", "S512", "S256 "}},
      {&LoginParameters::code_challenge,
       "code_challenge",
       {"", challenge + "A", challenge + "=", challenge.substr(1), challenge.substr(1) + "+",
        challenge.substr(1) + " ", std::string(43, '*'), challenge.substr(0, 42) + "N"}},
      {&LoginParameters::state,
       "state",
       {"", std::string(1025, 'x'), "a\nb", std::string("a\0b", 3), "\x7f", "ü", "\xff"}},
      {&LoginParameters::scope, "scope", {"Read", "write", "read publish", "read,admin", "*"}},
  };
  for (const Row& row : rows) {
    for (const std::string& value : row.values) {
      const Result<LoginRequest> request = LoginRequest::Parse(With(row.parameter, value));
      ASSERT_FALSE(request) << row.name << "=" << value;
      EXPECT_EQ(request.error().kind, ErrorKind::kInvalid);
      EXPECT_TRUE(request.error().message.contains('"' + row.name + '"'))
          << request.error().message;
      EXPECT_TRUE(IsPlainText(request.error().message)) << request.error().message;
    }
  }
}

class ClientLoginTest : public SignInFixture {
 protected:
  // Where the browser goes.
  Result<std::string> Allow(const Principal& by, const LoginParameters& parameters = Good()) {
    return RunTask(login_.Allow(by, LoginRequest::Parse(parameters).value()));
  }
  std::string CodeIn(const std::string& location) {
    const std::size_t start = location.find("?code=") + 6;
    return location.substr(start, location.find('&') - start);
  }
  CodeExchange ExchangeOf(const std::string& code) {
    return {.grant_type = "authorization_code",
            .client_id = "terraform-cli",
            .code = code,
            .code_verifier = kVerifier,
            .redirect_uri = kRedirect};
  }
  std::string NewCode() { return CodeIn(Allow(PrincipalOf(ada_)).value()); }
  Result<CreatedToken> Exchange(CodeExchange exchange) {
    return RunTask(login_.Exchange({}, std::move(exchange)));
  }
  // The client's result: an error of RFC 6749, or "".
  std::string Told(CodeExchange exchange) {
    Result<CreatedToken> token = Exchange(std::move(exchange));
    return token ? "a token" : std::string(OAuthErrorName(token.error().kind));
  }

  const AccountRecord ada_ = AddUser("ada");
  const AccountRecord root_ = AddUser("root", true);
  ClientLogin login_{catalog_, catalog_, catalog_, clock_, std::chrono::days(90)};
};

TEST_F(ClientLoginTest, ACodeIsExchangedForATokenOfWhoeverAllowedIt) {
  LoginParameters parameters = With(&LoginParameters::scope, "publish");
  parameters.state = "a b&c=d/%";
  const std::string location = Allow(PrincipalOf(ada_), parameters).value();
  const std::string code = CodeIn(location);
  EXPECT_EQ(location, std::string(kRedirect) + "?code=" + code + "&state=a%20b%26c%3Dd%2F%25");
  EXPECT_EQ(code.size(), 43U);
  const Result<CreatedToken> token = Exchange(ExchangeOf(code));
  ASSERT_TRUE(token) << token.error().message;
  const TokenRecord& record = token->record;
  EXPECT_TRUE(record.name.starts_with("login-"));
  EXPECT_EQ(record.name.size(), 14U);
  EXPECT_TRUE(auth::CheckTokenName(record.name));
  EXPECT_EQ(record.scope, Scope::kPublish);
  EXPECT_EQ(record.account_id, ada_.id);
  EXPECT_EQ(record.created_by, "ada");
  EXPECT_EQ(record.expires_at, clock_.Now() + 90 * 86'400);
  const Result<Principal> who = RunTask(tokens_.Authenticate("Bearer " + token->text));
  ASSERT_TRUE(who) << who.error().message;
  EXPECT_EQ(who->account_id(), ada_.id);
  EXPECT_EQ(login_.life(), std::chrono::days(90));
}

TEST_F(ClientLoginTest, ACodeIsGoodOnce) {
  const std::string code = NewCode();
  EXPECT_EQ(Told(ExchangeOf(code)), "a token");
  EXPECT_EQ(Told(ExchangeOf(code)), "invalid_grant");
}

TEST_F(ClientLoginTest, ACodeLastsAMinuteToTheSecond) {
  std::string code = NewCode();
  clock_.now += 59;
  EXPECT_EQ(Told(ExchangeOf(code)), "a token");
  code = NewCode();
  clock_.now += 60;
  EXPECT_EQ(Told(ExchangeOf(code)), "invalid_grant");
}

TEST_F(ClientLoginTest, ATokenIsOfEveryVerifierThatTheStandardAllows) {
  for (const std::string& verifier :
       {std::string(kVerifier), std::string(43, 'a'), std::string(128, '~'),
        std::string("0123456789-._~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        std::string("d9c4d0b2-1f3e-4c11-9f5e-2f3d0c1b2a39.123456789")}) {
    const LoginParameters parameters =
        With(&LoginParameters::code_challenge, Base64UrlEncode(Sha256(verifier)));
    CodeExchange exchange = ExchangeOf(CodeIn(Allow(PrincipalOf(ada_), parameters).value()));
    exchange.code_verifier = verifier;
    EXPECT_EQ(Told(exchange), "a token") << verifier;
  }
}

TEST_F(ClientLoginTest, AVerifierOutsideTheStandardProvesNothing) {
  for (const std::string& verifier :
       {std::string(42, 'a'), std::string(129, 'a'), std::string(42, 'a') + "+",
        std::string(42, 'a') + " ", std::string(42, 'a') + "=", std::string(42, 'a') + "\n",
        std::string(43, '\xff'), std::string(43, '\0')}) {
    const LoginParameters parameters =
        With(&LoginParameters::code_challenge, Base64UrlEncode(Sha256(verifier)));
    CodeExchange exchange = ExchangeOf(CodeIn(Allow(PrincipalOf(ada_), parameters).value()));
    exchange.code_verifier = verifier;
    EXPECT_EQ(Told(exchange), "invalid_grant") << verifier;
  }
}

TEST_F(ClientLoginTest, WhateverIsWrongIsToldAndTheCodeIsGone) {
  struct Row {
    std::string CodeExchange::* parameter;
    std::string value;
    std::string told;
  };
  const std::string verifier = kVerifier;
  const std::vector<Row> rows = {
      {&CodeExchange::grant_type, "", "invalid_request"},
      {&CodeExchange::grant_type, "password", "unsupported_grant_type"},
      {&CodeExchange::grant_type, "client_credentials", "unsupported_grant_type"},
      {&CodeExchange::grant_type, "Authorization_Code", "unsupported_grant_type"},
      {&CodeExchange::client_id, "", "invalid_request"},
      {&CodeExchange::client_id, "another", "invalid_client"},
      {&CodeExchange::client_id, "Terraform-CLI", "invalid_client"},
      {&CodeExchange::code_verifier, "", "invalid_request"},
      {&CodeExchange::code_verifier, "wrong", "invalid_grant"},
      {&CodeExchange::code_verifier, verifier + "A", "invalid_grant"},
      {&CodeExchange::code_verifier, verifier.substr(1) + "A", "invalid_grant"},
      {&CodeExchange::code_verifier, kChallenge, "invalid_grant"},
      {&CodeExchange::redirect_uri, "", "invalid_request"},
      {&CodeExchange::redirect_uri, "http://localhost:10006/login", "invalid_grant"},
      {&CodeExchange::redirect_uri, "http://localhost:10005/login/", "invalid_grant"},
      {&CodeExchange::redirect_uri, "http://LOCALHOST:10005/login", "invalid_grant"},
  };
  for (const Row& row : rows) {
    const std::string code = NewCode();
    CodeExchange exchange = ExchangeOf(code);
    exchange.*row.parameter = row.value;
    EXPECT_EQ(Told(exchange), row.told) << row.value;
    EXPECT_EQ(Told(ExchangeOf(code)), "invalid_grant") << "there is no second try";
  }
  EXPECT_TRUE(RunTask(catalog_.tokens().ListTokens())->empty());
}

TEST_F(ClientLoginTest, WhatIsNoCodeIsRefused) {
  const std::string code = NewCode();
  EXPECT_EQ(Told(ExchangeOf("")), "invalid_request");
  for (const std::string& bad :
       {std::string("x"), code + "A", code.substr(1), code.substr(1) + "A", code.substr(1) + " ",
        std::string(43, 'A'), std::string(43, '\xff'), std::string(100'000, 'A')}) {
    EXPECT_EQ(Told(ExchangeOf(bad)), "invalid_grant") << bad.substr(0, 80);
  }
  EXPECT_EQ(Told(ExchangeOf(code)), "a token");
}

TEST_F(ClientLoginTest, OfAnAccountThatIsDisabledOrGoneNothingIsGiven) {
  const std::string of_disabled = NewCode();
  Disable("ada");
  EXPECT_EQ(Told(ExchangeOf(of_disabled)), "invalid_grant");
  ASSERT_TRUE(RunTask(
      catalog_.accounts().SetDisabled(Actor::Server(), AccountKind::kUser, "ada", std::nullopt)));
  EXPECT_EQ(Told(ExchangeOf(of_disabled)), "invalid_grant") << "it is gone all the same";
  const std::string of_deleted = NewCode();
  ASSERT_TRUE(
      RunTask(catalog_.accounts().RemoveAccount(Actor::Server(), AccountKind::kUser, "ada")));
  EXPECT_EQ(Told(ExchangeOf(of_deleted)), "invalid_grant");
}

TEST_F(ClientLoginTest, OnlyUsersAllowAndNoMoreThanTheyHold) {
  AccountRecord service = ada_;
  service.kind = AccountKind::kService;
  auto principal = [](const AccountRecord& account, Scope scope,
                      std::vector<std::string> namespaces) {
    return Principal{.name = "t",
                     .scope = scope,
                     .namespaces = std::move(namespaces),
                     .account = std::make_shared<const AccountRights>(AccountRights{account, {}})};
  };
  const LoginParameters publish = With(&LoginParameters::scope, "publish");
  struct Row {
    Principal by;
    LoginParameters parameters;
  };
  const std::vector<Row> refused = {
      {Principal(), Good()},
      {Principal::Operator(), Good()},
      {principal(service, Scope::kAdmin, {}), Good()},
      {principal(ada_, Scope::kRead, {}), publish},
      {principal(ada_, Scope::kAdmin, {"acme"}), Good()},
  };
  for (const Row& row : refused) {
    EXPECT_EQ(Allow(row.by, row.parameters).error().kind, ErrorKind::kForbidden);
  }
  EXPECT_TRUE(Allow(PrincipalOf(ada_), publish));
  EXPECT_TRUE(Allow(PrincipalOf(ada_), With(&LoginParameters::scope, "admin")))
      << "what the account may not do, its token may not either";
}

TEST(OAuthErrorTest, FailuresOfTheServerAreNoneOfTheClients) {
  for (ErrorKind kind : {ErrorKind::kUnavailable, ErrorKind::kInternal, ErrorKind::kConflict,
                         ErrorKind::kThrottled, ErrorKind::kCorrupt}) {
    EXPECT_EQ(OAuthErrorName(kind), "");
  }
}

}  // namespace
}  // namespace koya::service
