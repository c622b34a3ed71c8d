#include "oidc/discovery_document.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace koya::oidc {
namespace {

constexpr std::string_view kAsked = "https://id.example.com/realms/a";

std::string Configuration(std::string_view issuer, std::string_view jwks,
                          std::string_view more = "") {
  return R"({"issuer":")" + std::string(issuer) + R"(","jwks_uri":")" + std::string(jwks) + "\"" +
         std::string(more) + "}";
}

TEST(CheckIssuerTest, TakesHttpsAndThisMachine) {
  for (std::string_view good :
       {"https://id.example.com", "https://id.example.com/", "https://id.example.com:8443/realms/a",
        "https://login.example.com/tenant/v2.0", "http://localhost:3000", "http://127.0.0.1:3000",
        "http://[::1]:3000", "https://[2001:db8::1]"}) {
    EXPECT_TRUE(CheckIssuer(good)) << good;
  }
  for (std::string_view bad : {"",
                               "id.example.com",
                               "http://id.example.com",
                               "HTTPS://id.example.com",
                               "ftp://localhost",
                               "https:/id.example.com",
                               "https:id.example.com",
                               "https://",
                               "https:///x",
                               "file:///etc",
                               "https://user@id.example.com",
                               "https://u:p@id.example.com",
                               "http://localhost@evil.example",
                               "http://localhost.evil.example",
                               "http://127.0.0.1.evil.example",
                               "https://id.example.com?x=1",
                               "https://id.example.com/?",
                               "https://id.example.com#x",
                               "https://id.example.com/#",
                               "https://id.example.com/ x",
                               "https://id.example.com\n",
                               "https:\\\\id.example.com",
                               "https://id.example.com\\@evil",
                               "https://日本.example",
                               "javascript://x/%0aalert(1)"}) {
    const auto status = CheckIssuer(bad);
    ASSERT_FALSE(status) << bad;
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid) << bad;
  }
  EXPECT_FALSE(CheckIssuer(std::string_view("https://a.example\0", 18)));
  EXPECT_FALSE(CheckIssuer("https://a.example/" + std::string(2048, 'x')));
}

TEST(DiscoveryUrlTest, IsBelowTheIssuer) {
  constexpr std::string_view kPlace = "/.well-known/openid-configuration";
  for (std::string_view issuer : {"https://a.example", "https://a.example/realms/x"}) {
    EXPECT_EQ(DiscoveryUrl(issuer), std::string(issuer) + std::string(kPlace));
    EXPECT_EQ(DiscoveryUrl(std::string(issuer) + "/"), std::string(issuer) + std::string(kPlace));
  }
}

TEST(DiscoveryDocumentTest, TakesProvidersOfSignIn) {
  const auto read = ParseDiscoveryDocument(
      kAsked, Configuration(kAsked, "https://keys.example.com/jwks?x=1",
                            R"(,"authorization_endpoint":"https://id.example.com/auth?p=1",
                        "token_endpoint":"https://id.example.com/token",
                        "id_token_signing_alg_values_supported":["none","HS256","RS256","EdDSA"],
                        "code_challenge_methods_supported":["plain","S256"],
                        "token_endpoint_auth_methods_supported":["client_secret_post"])"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->issuer, kAsked);
  EXPECT_EQ(read->jwks_uri, "https://keys.example.com/jwks?x=1");
  EXPECT_EQ(read->authorization_endpoint, "https://id.example.com/auth?p=1");
  EXPECT_EQ(read->algorithms, (std::vector{Algorithm::kRs256, Algorithm::kEdDsa}));
  EXPECT_EQ(read->token_auth_methods, std::vector<std::string>{"client_secret_post"});
  EXPECT_TRUE(CheckOffersSignIn(*read));
}

TEST(DiscoveryDocumentTest, TakesIssuersOfCiWhichNobodySignsInWith) {
  const auto read =
      ParseDiscoveryDocument(kAsked, Configuration(kAsked, "https://id.example.com/jwks"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->algorithms.empty());
  EXPECT_FALSE(CheckOffersSignIn(*read));
}

TEST(DiscoveryDocumentTest, ThisMachineMayUseHttp) {
  EXPECT_TRUE(
      ParseDiscoveryDocument("http://localhost:3000",
                             Configuration("http://localhost:3000", "http://127.0.0.1:3000/jwks")));
}

TEST(DiscoveryDocumentTest, RefusesTheRest) {
  constexpr std::string_view kKeys = "https://id.example.com/jwks";
  struct Row {
    std::string body;
    std::string_view why;
  };
  for (const Row& row : {
           Row{"", "not valid JSON"},
           Row{"[]", "must be a JSON object"},
           Row{"{}", "\"issuer\" must be given"},
           Row{Configuration("https://id.example.com/realms/a/", kKeys), "is of the issuer"},
           Row{Configuration("https://id.example.com/realms/A", kKeys), "is of the issuer"},
           Row{Configuration("https://id.example.com", kKeys), "is of the issuer"},
           Row{Configuration("https://evil.example.com", kKeys), "is of the issuer"},
           Row{Configuration(kAsked, ""), "\"jwks_uri\" must be given"},
           Row{Configuration(kAsked, "/jwks"), "jwks_uri \"/jwks\" is not a URL"},
           Row{Configuration(kAsked, "http://id.example.com/jwks"), "must be https"},
           Row{Configuration(kAsked, "http://localhost/jwks"), "as its issuer is"},
           Row{Configuration(kAsked, "https://u:p@id.example.com/jwks"), "must not hold a user"},
           Row{Configuration(kAsked, "https://id.example.com/jwks#x"), "fragment"},
           Row{Configuration(kAsked, "file:///etc/passwd"), "is not a URL"},
           Row{Configuration(kAsked, kKeys, R"(,"token_endpoint":"http://id.example.com/t")"),
               "token_endpoint"},
           Row{Configuration(kAsked, kKeys, R"(,"token_endpoint":{})"), "must be a string"},
           Row{Configuration(kAsked, kKeys, R"(,"authorization_endpoint":"javascript:x")"),
               "authorization_endpoint"},
           Row{Configuration(kAsked, kKeys,
                             R"(,"id_token_signing_alg_values_supported":["HS256","none"])"),
               "signs its tokens with HS256"},
           Row{Configuration(kAsked, kKeys, R"(,"code_challenge_methods_supported":"S256")"),
               "array of strings"},
       }) {
    const auto document = ParseDiscoveryDocument(kAsked, row.body);
    ASSERT_FALSE(document) << row.body;
    EXPECT_EQ(document.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(document.error().message.contains(row.why)) << document.error().message;
  }
  std::string giant = Configuration(kAsked, kKeys);
  giant.resize(kMaxDiscoveryBytes + 1, ' ');
  EXPECT_EQ(ParseDiscoveryDocument(kAsked, giant).error().limit.text(),
            "fixed.openid_configuration_bytes");
  EXPECT_FALSE(ParseDiscoveryDocument("http://id.example.com",
                                      Configuration("http://id.example.com", kKeys)));
}

TEST(OffersSignInTest, NeedsEndpointsAndPkce) {
  const DiscoveryDocument good{.issuer = "https://a.example",
                               .jwks_uri = "https://a.example/k",
                               .authorization_endpoint = "https://a.example/a",
                               .token_endpoint = "https://a.example/t",
                               .algorithms = {},
                               .code_challenge_methods = {},
                               .token_auth_methods = {}};
  EXPECT_TRUE(CheckOffersSignIn(good));
  DiscoveryDocument other = good;
  other.code_challenge_methods = {"plain"};
  EXPECT_FALSE(CheckOffersSignIn(other));
  other = good;
  other.token_endpoint = "";
  EXPECT_FALSE(CheckOffersSignIn(other));
  other = good;
  other.authorization_endpoint = "";
  EXPECT_FALSE(CheckOffersSignIn(other));
}

}  // namespace
}  // namespace koya::oidc
