// `tofu login`, from discovery to a token that works, and what must not lead to one.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <set>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "auth/capability.h"
#include "auth/token.h"
#include "base/encoding.h"
#include "base/sha256.h"

namespace koya::api {
namespace {

constexpr std::string_view kPassword = "correct horse battery";
constexpr std::string_view kVerifier = "5c9a2b4e-7d1f-4b8a-9c3e-0f6d2a1b8c7e.123456789";
constexpr std::string_view kRedirect = "http://localhost:10010/login";

std::string ChallengeOf(std::string_view verifier) {
  Sha256Bytes hash = Sha256(verifier);
  return Base64UrlEncode(hash);
}

FormFields LoginRequestFields() {
  return {{"client_id", "terraform-cli"},    {"code_challenge", ChallengeOf(kVerifier)},
          {"code_challenge_method", "S256"}, {"redirect_uri", std::string(kRedirect)},
          {"response_type", "code"},         {"state", "b0c9-state"}};
}

std::string Authorize(const FormFields& fields = LoginRequestFields()) {
  return "/oauth/authorize?" + EncodeForm(fields);
}

FormFields With(FormFields fields, std::string_view name, std::string_view value) {
  std::erase_if(fields, [name](const auto& field) { return field.first == name; });
  fields.emplace_back(name, value);
  return fields;
}

FormFields Without(FormFields fields, std::string_view name) {
  std::erase_if(fields, [name](const auto& field) { return field.first == name; });
  return fields;
}

std::string TextIn(const std::string& body, std::string_view key) {
  boost::system::error_code failed;
  boost::json::value value = boost::json::parse(body, failed);
  if (failed || !value.is_object()) return "no JSON: " + body;
  const boost::json::value* member = value.get_object().if_contains(key);
  return member != nullptr && member->is_string() ? std::string(member->get_string()) : "";
}

class LoginApiTest : public ::testing::Test {
 protected:
  LoginApiTest() { api_.AddUser("Ada", std::string(kPassword)); }

  // The code, once a user has consented.
  std::string Code(FakeBrowser& browser, const FormFields& request = LoginRequestFields()) {
    Reply page = browser.Open(Authorize(request));
    if (page.status != 200) return fmt::format("{} {}", page.status, page.body);
    FormFields form = browser.HiddenFields();
    form.emplace_back("decision", "allow");
    Reply sent = browser.Submit("/oauth/authorize", form);
    std::string location = sent.Get("Location");
    std::size_t begin = location.find("code=");
    if (begin == location.npos) return fmt::format("{} {}", sent.status, location);
    std::string_view code = std::string_view(location).substr(begin + 5);
    return std::string(code.substr(0, code.find('&')));
  }

  static FormFields ExchangeOf(std::string_view code) {
    return {{"client_id", "terraform-cli"},
            {"code", std::string(code)},
            {"code_verifier", std::string(kVerifier)},
            {"grant_type", "authorization_code"},
            {"redirect_uri", std::string(kRedirect)}};
  }

  Reply Exchange(ApiFixture& api, const std::string& body) {
    Question question{.method = http::Method::kPost, .path = "/oauth/token"};
    question.fields = {{"Content-Type", "application/x-www-form-urlencoded"}};
    question.body = body;
    return api.Ask(question);
  }
  Reply Exchange(const FormFields& fields) { return Exchange(api_, EncodeForm(fields)); }

  void Refuses(const FormFields& fields, std::string_view error) {
    Reply reply = Exchange(fields);
    EXPECT_EQ(reply.status, 400U) << EncodeForm(fields);
    EXPECT_EQ(TextIn(reply.body, "error"), error) << EncodeForm(fields) << reply.body;
    EXPECT_NE(TextIn(reply.body, "error_description"), "") << reply.body;
    EXPECT_EQ(reply.Get("Cache-Control"), "no-store");
    EXPECT_EQ(reply.Get("WWW-Authenticate"), "");
  }

  ApiFixture api_;
  FakeBrowser browser_{api_};
};

TEST_F(LoginApiTest, LeadsFromDiscoveryToATokenThatWorks) {
  boost::json::value discovery = boost::json::parse(api_.Get("/.well-known/terraform.json").body);
  const boost::json::object& login = discovery.at("login.v1").get_object();
  EXPECT_EQ(login.at("client").get_string(), "terraform-cli");
  EXPECT_EQ(login.at("authz").get_string(), "/oauth/authorize");
  EXPECT_EQ(login.at("token").get_string(), "/oauth/token");
  EXPECT_EQ(boost::json::serialize(login.at("ports")), "[10000,10010]");

  Reply first = browser_.Open(Authorize());
  EXPECT_EQ(first.status, 303U);
  std::string sign_in = first.Get("Location");
  ASSERT_TRUE(sign_in.starts_with("/login?to=")) << sign_in;
  ASSERT_EQ(browser_.Open(sign_in).status, 200U);
  FormFields form = browser_.HiddenFields();
  form.emplace_back("username", "ada");
  form.emplace_back("password", kPassword);
  Reply signed_in = browser_.Submit("/login", form);
  ASSERT_EQ(signed_in.status, 303U) << signed_in.body;
  Reply consent = browser_.Open(signed_in.Get("Location"));
  ASSERT_EQ(consent.status, 200U) << consent.body;
  EXPECT_TRUE(consent.body.contains("registry.example.com"));
  EXPECT_TRUE(consent.body.contains("90 days"));
  EXPECT_TRUE(consent.Get("Content-Security-Policy").contains("http://localhost:*"));

  std::string code = Code(browser_);
  Reply answer = Exchange(ExchangeOf(code));
  ASSERT_EQ(answer.status, 200U) << answer.body;
  EXPECT_EQ(answer.Get("Cache-Control"), "no-store");
  EXPECT_EQ(answer.Get("Content-Type"), "application/json");
  std::string token = TextIn(answer.body, "access_token");
  EXPECT_TRUE(token.starts_with("koya_")) << answer.body;
  api_.token = token;
  EXPECT_EQ(api_.Get("/v1/modules").status, 200U);
  api_.token += "x";
  EXPECT_EQ(api_.Get("/v1/modules").status, 401U);
}

TEST_F(LoginApiTest, SendsCodeAndStateToTheClientAlone) {
  browser_.SignIn("ada", kPassword);
  browser_.Open(Authorize());
  FormFields form = browser_.HiddenFields();
  form.emplace_back("decision", "allow");
  Reply sent = browser_.Submit("/oauth/authorize", form);
  EXPECT_EQ(sent.status, 303U);
  EXPECT_TRUE(sent.Get("Location").starts_with(std::string(kRedirect) + "?"))
      << sent.Get("Location");
  EXPECT_TRUE(sent.Get("Location").contains("state=b0c9-state"));
  EXPECT_EQ(sent.Get("Cache-Control"), "private, no-store");
}

TEST_F(LoginApiTest, DenialIsShownAndNobodyIsSentAnywhere) {
  browser_.SignIn("ada", kPassword);
  browser_.Open(Authorize());
  FormFields form = browser_.HiddenFields();
  form.emplace_back("decision", "deny");
  Reply denied = browser_.Submit("/oauth/authorize", form);
  EXPECT_EQ(denied.status, 200U);
  EXPECT_EQ(denied.Get("Location"), "");
  EXPECT_TRUE(denied.body.contains("Access was denied"));
}

TEST_F(LoginApiTest, ABadRequestIsAPageBeforeAnybodySignsIn) {
  const FormFields good = LoginRequestFields();
  const std::vector<FormFields> kBad = {
      Without(good, "client_id"),
      With(good, "client_id", "somebody-else"),
      Without(good, "redirect_uri"),
      With(good, "redirect_uri", "https://evil.example/login"),
      With(good, "redirect_uri", "http://localhost:9999/login"),
      With(good, "redirect_uri", "http://localhost:10011/login"),
      With(good, "redirect_uri", "http://localhost:10005/"),
      With(good, "redirect_uri", "http://localhost:10005/login?x=1"),
      With(good, "redirect_uri", "http://localhost:10005/login#x"),
      With(good, "redirect_uri", "http://localhost@evil.example:10005/login"),
      With(good, "redirect_uri", "http://localhost.evil.example:10005/login"),
      With(good, "redirect_uri", "http://127.0.0.1:10005/login"),
      With(good, "redirect_uri", "http://LOCALHOST:10005/login"),
      With(good, "redirect_uri", "http://localhost:010005/login"),
      With(good, "redirect_uri", "http://localhost:10005/login\r\nX: y"),
      With(good, "redirect_uri", "javascript:alert(1)"),
      Without(good, "code_challenge"),
      Without(good, "code_challenge_method"),
      With(good, "code_challenge_method", "plain"),
      With(good, "code_challenge", "too-short"),
      With(good, "code_challenge", std::string(43, '!')),
      Without(good, "state"),
      With(good, "state", std::string(1025, 's')),
      Without(good, "response_type"),
      With(good, "response_type", "token"),
      With(good, "scope", "everything"),
  };
  for (const FormFields& bad : kBad) {
    Reply reply = browser_.Open(Authorize(bad));
    EXPECT_EQ(reply.status, 400U) << EncodeForm(bad);
    EXPECT_EQ(reply.Get("Location"), "") << EncodeForm(bad);
    EXPECT_TRUE(reply.Get("Content-Type").starts_with("text/html")) << EncodeForm(bad);
  }
  Reply twice = browser_.Open(Authorize() + "&redirect_uri=https%3A%2F%2Fevil.example");
  EXPECT_EQ(twice.status, 400U);
  // The same in the response to the consent page, whose fields any client can write.
  browser_.SignIn("ada", kPassword);
  browser_.Open(Authorize());
  for (const FormFields& bad : kBad) {
    Reply reply = browser_.Submit("/oauth/authorize", With(bad, "decision", "allow"));
    EXPECT_EQ(reply.status, 400U) << EncodeForm(bad);
    EXPECT_EQ(reply.Get("Location"), "") << EncodeForm(bad);
    browser_.Open(Authorize());
  }
}

TEST_F(LoginApiTest, StateCannotBreakOutOfTheRedirect) {
  browser_.SignIn("ada", kPassword);
  Reply page =
      browser_.Open(Authorize(With(LoginRequestFields(), "state", "a&code=evil#x y\"<b>")));
  ASSERT_EQ(page.status, 200U);
  EXPECT_FALSE(page.body.contains("<b>\""));
  FormFields form = browser_.HiddenFields();
  form.emplace_back("decision", "allow");
  std::string location = browser_.Submit("/oauth/authorize", form).Get("Location");
  EXPECT_EQ(location.find('#'), location.npos) << location;
  EXPECT_EQ(location.find("code=evil"), location.npos) << location;
  EXPECT_EQ(location.find(' '), location.npos) << location;
  Reply broken =
      browser_.Open(Authorize(With(LoginRequestFields(), "state", "a\r\nSet-Cookie: b=c")));
  EXPECT_EQ(broken.status, 400U);
}

TEST_F(LoginApiTest, WhatIsNoGoodGrantIsRefusedAsOAuthSays) {
  browser_.SignIn("ada", kPassword);
  auto fresh = [this] { return ExchangeOf(Code(browser_)); };
  Refuses({}, "invalid_request");
  Refuses(Without(fresh(), "code"), "invalid_request");
  Refuses(Without(fresh(), "grant_type"), "invalid_request");
  Refuses(With(fresh(), "grant_type", "password"), "unsupported_grant_type");
  Refuses({{"grant_type", "client_credentials"}}, "unsupported_grant_type");
  Refuses(With(fresh(), "client_id", "somebody-else"), "invalid_client");
  Refuses(ExchangeOf("koya_nothing"), "invalid_grant");
  Refuses(With(fresh(), "code_verifier", std::string(kVerifier) + "x"), "invalid_grant");
  Refuses(With(fresh(), "code_verifier", ChallengeOf(kVerifier)), "invalid_grant");
  Refuses(With(fresh(), "redirect_uri", "http://localhost:10005/login"), "invalid_grant");
}

TEST_F(LoginApiTest, TheTokenEndpointTakesAFormWithEveryParameterOnce) {
  browser_.SignIn("ada", kPassword);
  std::string form = EncodeForm(ExchangeOf(Code(browser_)));
  Reply twice = Exchange(api_, form + "&code=another");
  EXPECT_EQ(twice.status, 400U);
  EXPECT_EQ(TextIn(twice.body, "error"), "invalid_request");
  Question json{.method = http::Method::kPost, .path = "/oauth/token"};
  json.fields = {{"Content-Type", "application/json"}};
  json.body = form;
  EXPECT_EQ(TextIn(api_.Ask(json).body, "error"), "invalid_request");
  EXPECT_EQ(api_.Get("/oauth/token").status, 405U);
  EXPECT_EQ(Exchange(api_, form).status, 200U) << "nothing of this has used the code up";
}

TEST_F(LoginApiTest, WhoeverHasATokenMayEndIt) {
  browser_.SignIn("ada", kPassword);
  std::string token = TextIn(Exchange(ExchangeOf(Code(browser_))).body, "access_token");
  Question asked{.method = http::Method::kGet, .path = "/v1/modules"};
  asked.fields = {{"Authorization", "Bearer " + token}};
  EXPECT_EQ(api_.Ask(asked).status, 200U);
  Question revoke{.method = http::Method::kPost, .path = "/oauth/revoke"};
  revoke.fields = {{"Content-Type", "application/x-www-form-urlencoded"}};
  for (std::string_view bad : {"", "token=", "tokens=x", "token=a&token=b"}) {
    revoke.body = bad;
    EXPECT_EQ(api_.Ask(revoke).status, 400U) << bad;
  }
  for (const std::string& none : {std::string("x"), token + "x", std::string("koya_")}) {
    revoke.body = "token=" + none;
    EXPECT_EQ(api_.Ask(revoke).status, 200U) << none;
    EXPECT_EQ(api_.Ask(asked).status, 200U) << none;
  }
  revoke.body = "token=" + token + "&token_type_hint=access_token";
  EXPECT_EQ(api_.Ask(revoke).status, 200U);
  EXPECT_EQ(api_.Ask(asked).status, 401U);
  EXPECT_EQ(api_.Ask(revoke).status, 200U) << "it is gone, as asked";
}

TEST_F(LoginApiTest, ACodeIsGoodOnceAndForAMinute) {
  browser_.SignIn("ada", kPassword);
  FormFields exchange = ExchangeOf(Code(browser_));
  EXPECT_EQ(Exchange(exchange).status, 200U);
  Refuses(exchange, "invalid_grant");
  FormFields late = ExchangeOf(Code(browser_));
  api_.clock.now += 61;
  Refuses(late, "invalid_grant");
  FormFields tried = ExchangeOf(Code(browser_));
  Refuses(With(tried, "code_verifier", std::string(46, 'x')), "invalid_grant");
  Refuses(tried, "invalid_grant");
}

TEST_F(LoginApiTest, BeginsOnOneServerAndEndsOnAnother) {
  ApiFixture other(api_.shared_catalog());
  browser_.Open(Authorize());
  browser_.SignIn("ada", kPassword, Authorize());
  browser_.MoveTo(other);
  std::string code = Code(browser_);
  browser_.MoveTo(api_);
  EXPECT_EQ(browser_.Open(Authorize()).status, 200U);
  Reply answer = Exchange(api_, EncodeForm(ExchangeOf(code)));
  ASSERT_EQ(answer.status, 200U) << answer.body;
  other.token = TextIn(answer.body, "access_token");
  EXPECT_EQ(other.Get("/v1/modules").status, 200U);
}

TEST_F(LoginApiTest, WorksWhereStrangersMayReadNothing) {
  api_.access.anonymous_read = false;
  api_.SettleMirror();
  EXPECT_EQ(api_.Get("/v1/modules").status, 401U);
  EXPECT_EQ(browser_.Open("/").status, 200U);
  browser_.SignIn("ada", kPassword);
  Reply answer = Exchange(ExchangeOf(Code(browser_)));
  ASSERT_EQ(answer.status, 200U) << answer.body;
  api_.token = TextIn(answer.body, "access_token");
  EXPECT_EQ(api_.Get("/v1/modules").status, 200U);
}

// ---- capability URLs of a user who is signed in with a browser.

constexpr std::string_view kUsersPassword = "correct horse battery";

class SessionLinksTest : public ::testing::Test {
 protected:
  SessionLinksTest() {
    api_.AddUser("ada", std::string(kUsersPassword), true);
    api_.AddUser("eve", std::string(kUsersPassword));
    api_.token = api_.Token(Scope::kAdmin);
    api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive());
    Question hide{.method = http::Method::kPut, .path = "/api/v1/namespaces/acme"};
    hide.body = R"({"visibility":"private"})";
    EXPECT_EQ(api_.Ask(hide).status, 200U);
    std::string location =
        api_.Get("/v1/modules/acme/vpc/aws/1.0.0/download").Get("X-Terraform-Get");
    path_ = location.substr(location.find("/download/"));
    path_.resize(std::min(path_.find('?'), path_.size()));
    api_.token.clear();
  }

  // The archive, by a URL that was made for the session of this browser.
  Reply Fetch(const FakeBrowser& browser) {
    auth::CapabilitySigner signer("a secret of the tests");
    auto bearer = auth::CapabilityBearer::Of(auth::CapabilityBearer::Kind::kSession,
                                             auth::TokenSecret(browser.cookies.at("__Host-koya")));
    Question question{.path = path_};
    question.query = signer.Sign(path_, bearer, api_.clock.Now() + 900);
    return api_.Ask(question);
  }

  ApiFixture api_;
  std::string path_;
};

TEST_F(SessionLinksTest, OpenWhatTheUserMayReadUntilTheySignOut) {
  FakeBrowser ada(api_);
  ada.SignIn("ada", kUsersPassword);
  Reply archive = Fetch(ada);
  EXPECT_EQ(archive.status, 200U) << path_ << archive.body;
  EXPECT_TRUE(archive.Get("Cache-Control").starts_with("private"));
  ada.Open("/");
  EXPECT_EQ(Fetch(ada).status, 200U) << "known by then";
  FakeBrowser copy = ada;
  ada.Submit("/-/sign-out", {});
  EXPECT_EQ(Fetch(copy).status, 403U);
}

TEST_F(SessionLinksTest, OpenNothingForWhoeverMayNotReadIt) {
  FakeBrowser eve(api_);
  eve.SignIn("eve", kUsersPassword);
  EXPECT_EQ(Fetch(eve).status, 403U);
  eve.cookies["__Host-koya"] = "no session";
  EXPECT_EQ(Fetch(eve).status, 403U);
}

}  // namespace

}  // namespace koya::api
