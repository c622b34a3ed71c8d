#include "oidc/authorization_code.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::oidc {
namespace {

DiscoveryDocument IssuerOfPeople() {
  return {.issuer = "https://id.example.com",
          .jwks_uri = "https://id.example.com/jwks",
          .authorization_endpoint = "https://id.example.com/authorize",
          .token_endpoint = "https://id.example.com/token",
          .algorithms = {},
          .code_challenge_methods = {},
          .token_auth_methods = {},
          .scopes = {}};
}

const ClientAtIssuer& TestClient() {
  static const ClientAtIssuer kClient{"koya", "s&cret:1",
                                      "https://koya.example.com/-/oidc/corp/callback"};
  return kClient;
}

constexpr std::string_view kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

std::string UrlFor(const DiscoveryDocument& document, std::string_view scope = {}) {
  return AuthorizationUrl(document, TestClient(), {"st", "no", std::string(kVerifier)}, scope);
}

// RFC 7636, appendix B.
TEST(AuthorizationCodeTest, ChallengesAreThoseOfTheStandard) {
  EXPECT_EQ(CodeChallenge(kVerifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST(AuthorizationCodeTest, BrowsersAreSentWithStateNonceAndChallenge) {
  EXPECT_EQ(UrlFor(IssuerOfPeople()),
            "https://id.example.com/authorize?response_type=code&client_id=koya"
            "&redirect_uri=https%3A%2F%2Fkoya.example.com%2F-%2Foidc%2Fcorp%2Fcallback"
            "&scope=openid%20profile%20email&state=st&nonce=no"
            "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            "&code_challenge_method=S256");
  DiscoveryDocument other = IssuerOfPeople();
  other.authorization_endpoint += "?tenant=1";
  EXPECT_TRUE(UrlFor(other).starts_with("https://id.example.com/authorize?tenant=1&response_type"));
}

TEST(AuthorizationCodeTest, AnotherScopeIsAskedForWhereItIsKnown) {
  DiscoveryDocument document = IssuerOfPeople();
  EXPECT_FALSE(UrlFor(document, "groups").contains("groups"));
  document.scopes = {"openid", "groups", ""};
  EXPECT_TRUE(UrlFor(document, "groups").contains("scope=openid%20profile%20email%20groups&"));
  EXPECT_FALSE(UrlFor(document, "roles").contains("roles"));
  EXPECT_TRUE(UrlFor(document).contains("scope=openid%20profile%20email&"));
}

struct Authentication {
  std::vector<std::string> methods;
  std::string secret;
  std::string authorization;
  std::string_view in_form;
};

TEST(AuthorizationCodeTest, ClientsShowWhoTheyAreAsTheIssuerTakesIt) {
  // "koya:s%26cret%3A1"
  const std::string basic = "Basic a295YTpzJTI2Y3JldCUzQTE=";
  const std::string_view posted = "&client_id=koya&client_secret=s%26cret%3A1";
  for (const Authentication& row : {
           Authentication{{}, "s&cret:1", basic, ""},
           {{"client_secret_basic"}, "s&cret:1", basic, ""},
           {{"client_secret_post", "client_secret_basic"}, "s&cret:1", basic, ""},
           {{"private_key_jwt", "client_secret_post"}, "s&cret:1", "", posted},
           {{"client_secret_basic"}, "", "", "&client_id=koya"},
           {{"private_key_jwt"}, "", "", "&client_id=koya"},
       }) {
    DiscoveryDocument document = IssuerOfPeople();
    document.token_auth_methods = row.methods;
    ClientAtIssuer client = TestClient();
    client.secret = row.secret;
    const auto request = MakeTokenRequest(document, client, "c/1", kVerifier);
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->authorization, row.authorization);
    EXPECT_EQ(request->form,
              "grant_type=authorization_code&code=c%2F1"
              "&redirect_uri=https%3A%2F%2Fkoya.example.com%2F-%2Foidc%2Fcorp%2Fcallback"
              "&code_verifier=" +
                  std::string(kVerifier) + std::string(row.in_form));
  }
  DiscoveryDocument closed = IssuerOfPeople();
  closed.token_auth_methods = {"private_key_jwt", "tls_client_auth"};
  const auto refused = MakeTokenRequest(closed, TestClient(), "c", kVerifier);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBadUpstream);
  EXPECT_TRUE(refused.error().message.contains("private_key_jwt, tls_client_auth"));
}

TEST(AuthorizationCodeTest, TheAnswerIsFromWhomWasAsked) {
  DiscoveryDocument document = IssuerOfPeople();
  EXPECT_TRUE(CheckAnsweringIssuer(document, ""));
  EXPECT_TRUE(CheckAnsweringIssuer(document, "https://id.example.com"));
  document.names_itself = true;
  EXPECT_TRUE(CheckAnsweringIssuer(document, "https://id.example.com"));
  for (std::string_view iss : {"", "https://evil.example", "https://id.example.com/",
                               "https://ID.example.com", "https://id.example.com\n"}) {
    const Status checked = CheckAnsweringIssuer(document, iss);
    ASSERT_FALSE(checked) << iss;
    EXPECT_EQ(checked.error().kind, ErrorKind::kUnauthenticated);
  }
}

}  // namespace
}  // namespace koya::oidc
