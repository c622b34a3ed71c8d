#include "wire/foreign/openid.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace koya::wire {
namespace {

TEST(JsonWebKeysTest, SkipsBadElementsAndKeepsTheRest) {
  auto read = DecodeJsonWebKeys(
      R"({"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"Aw","x5c":["MIIB",{"x":1}],"oth":[{}]},
          7,null,[],{},{"kty":""},{"kty":5},{"kty":"EC","use":1},{"kty":"OKP","key_ops":"verify"},
          {"kty":"EC","kid":null,"crv":"P-256","key_ops":["verify"],"d":"AA"}],"more":{"a":1}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->skipped, 8u);
  ASSERT_EQ(read->keys.size(), 2u);
  EXPECT_EQ(read->keys[0].kid, "a");
  EXPECT_EQ(read->keys[0].n, "AQAB");
  EXPECT_EQ(read->keys[0].e, "Aw");
  EXPECT_EQ(read->keys[1].kid, "");
  EXPECT_EQ(read->keys[1].crv, "P-256");
  EXPECT_EQ(read->keys[1].d, "AA");
  EXPECT_EQ(read->keys[1].key_ops, std::vector<std::string>{"verify"});
}

TEST(JsonWebKeysTest, RefusesWhatIsNoKeySet) {
  for (std::string_view bad : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":null})",
                               R"({"kty":"RSA","n":"AQAB","e":"Aw"})", R"({"keys":[})"}) {
    auto read = DecodeJsonWebKeys(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().kind, ErrorKind::kInvalid) << bad;
  }
}

TEST(JoseHeaderTest, ReadsWhatCountsAndNothingElse) {
  auto read =
      DecodeJoseHeader(R"({"typ":"JWT","alg":"RS256","kid":"k","jku":"https://x/","jwk":{}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->alg, "RS256");
  EXPECT_EQ(read->kid, "k");
  EXPECT_EQ(read->typ, "JWT");
  EXPECT_FALSE(read->critical);
  for (std::string_view critical :
       {R"({"alg":"x","crit":["b64"]})", R"({"alg":"x","crit":null})"}) {
    EXPECT_TRUE(DecodeJoseHeader(critical)->critical);
  }
  for (std::string_view bad : {"", "null", "{}", R"({"alg":null})", R"({"alg":["RS256"]})",
                               R"({"alg":"x","kid":1})", R"({"alg":"x","typ":[]})",
                               R"({"alg":"x"} )"
                               "x",
                               R"({"alg":"none","alg":"RS256"})", R"({"alg":"x","a\u006cg":"y"})",
                               R"({"alg":"x","jwk":{"a":1,"a":2}})"}) {
    EXPECT_FALSE(DecodeJoseHeader(bad)) << bad;
  }
}

TEST(ClaimsTest, KeepsTheKindOfEachValue) {
  auto read = DecodeClaims(
      R"({"t":"x","i":-5,"u":18446744073709551615,"d":1.5,"b":true,"l":["a","b"],"e":[],
          "n":null,"o":{"x":[1]},"m":["a",1]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<std::string>(read->at("t")), "x");
  EXPECT_EQ(std::get<std::int64_t>(read->at("i")), -5);
  EXPECT_EQ(std::get<double>(read->at("u")), 18446744073709551616.0);
  EXPECT_EQ(std::get<double>(read->at("d")), 1.5);
  EXPECT_TRUE(std::get<bool>(read->at("b")));
  EXPECT_EQ(std::get<std::vector<std::string>>(read->at("l")).size(), 2u);
  EXPECT_TRUE(std::get<std::vector<std::string>>(read->at("e")).empty());
  for (const char* other : {"n", "o", "m"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(read->at(other))) << other;
  }
}

TEST(ClaimsTest, RefusesNamesThatStandTwiceAtAnyDepth) {
  for (std::string_view bad :
       {R"({"sub":"a","sub":"b"})", R"({"sub":"a","sub":"a"})", R"({"sub":"a","\u0073ub":"b"})",
        R"({"a":{"b":1,"b":2}})", R"({"a":[{"b":1,"b":2}]})"}) {
    auto read = DecodeClaims(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_TRUE(read.error().message.contains("has a member twice")) << read.error().message;
  }
  EXPECT_TRUE(DecodeClaims(R"({"a":{"b":1},"b":{"b":1},"c":[{"b":1},{"b":1}]})"));
}

TEST(ClaimsTest, IsBoundedInDepthAndMemory) {
  std::string deep = R"({"a":)" + std::string(40, '[') + std::string(40, ']') + "}";
  EXPECT_FALSE(DecodeClaims(deep));
  std::string wide = R"({"a":[)";
  for (int i = 0; i < 100'000; ++i) wide += "[],";
  auto read = DecodeClaims(wide + "[]]}");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().limit.text(), "fixed.json_storage");
}

TEST(OpenIdConfigurationTest, ReadsWhatProvidersOfSignInAndOfCiWrite) {
  auto read = Decode<OpenIdConfiguration>(
      R"({"issuer":"https://id.example.com","jwks_uri":"https://id.example.com/jwks",
          "id_token_signing_alg_values_supported":["RS256"],"claims_supported":["sub"]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->issuer, "https://id.example.com");
  EXPECT_EQ(read->authorization_endpoint, "");
  EXPECT_EQ(read->signing_algorithms, std::vector<std::string>{"RS256"});
  for (std::string_view bad :
       {"[]", "{}", R"({"issuer":"https://x"})", R"({"jwks_uri":"https://x"})",
        R"({"issuer":"https://x","jwks_uri":["https://x"]})",
        R"({"issuer":"","jwks_uri":"https://x"})"}) {
    EXPECT_FALSE(Decode<OpenIdConfiguration>(bad)) << bad;
  }
}

TEST(TokenEndpointAnswerTest, HoldsATokenOrARefusal) {
  const auto good = Decode<TokenEndpointAnswer>(
      R"({"access_token":"a","token_type":"Bearer","expires_in":300,"id_token":"x.y.z"})");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->id_token, "x.y.z");
  const auto refused =
      Decode<TokenEndpointAnswer>(R"({"error":"invalid_grant","error_description":"used"})");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error, "invalid_grant");
  EXPECT_EQ(refused->error_description, "used");
  for (std::string_view body : {"", "[]", "null", "<html>", R"({"id_token":1})", R"({"error":{}})",
                                R"({"id_token":"a"} x)"}) {
    EXPECT_FALSE(Decode<TokenEndpointAnswer>(body)) << body;
  }
}

}  // namespace
}  // namespace koya::wire
