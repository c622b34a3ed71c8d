// Tokens by their form and by their header.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "oidc/jwt_rows_fake.h"

namespace koya::oidc {
namespace {

constexpr std::string_view kNotBase64 = "is not base64url without padding";
constexpr std::string_view kNotThreeParts = "three parts with dots between them";

std::string SmallHeader(std::string_view alg) {
  return R"({"alg":")" + std::string(alg) + R"(","kid":"ed"})";
}

TEST(JwtFormTest, RefusesWhatIsNoCompactToken) {
  const std::string good = TokenOf(GoodClaims());
  const std::size_t first = good.find('.');
  const std::size_t second = good.rfind('.');
  const std::string header = good.substr(0, first);
  const std::string payload = good.substr(first + 1, second - first - 1);
  const std::string signature = good.substr(second + 1);
  ASSERT_EQ(VerifyJwt(good, TestIssuer::Get().keys, TestExpectations()).verdict,
            JwtVerdict::kAccepted);
  struct Row {
    std::string token;
    std::string_view why;
  };
  for (const Row& row : {
           Row{"", kNotThreeParts},
           Row{"x", kNotThreeParts},
           Row{".", kNotThreeParts},
           Row{header, kNotThreeParts},
           Row{header + "." + payload, kNotThreeParts},
           Row{good + ".", kNotThreeParts},
           Row{"." + good, kNotThreeParts},
           Row{header + ".." + payload + "." + signature, kNotThreeParts},
           Row{good + "." + signature + "." + signature, "it is encrypted"},
           Row{good + "." + signature + "." + signature + ".x", kNotThreeParts},
           Row{"..", kNotBase64},
           Row{header + "..", kNotBase64},
           Row{header + "." + payload + ".", "its signature is not base64url"},
           Row{header + ".." + signature, "its payload is not base64url"},
           Row{"." + payload + "." + signature, "its header is not base64url"},
           Row{header + "=." + payload + "." + signature, kNotBase64},
           Row{header + "." + payload + "=." + signature, kNotBase64},
           Row{good + "==", kNotBase64},
           Row{good + "=", kNotBase64},
           Row{good + "\n", kNotBase64},
           Row{" " + good, kNotBase64},
           Row{"Bearer " + good, kNotBase64},
           Row{header + "." + payload + " ." + signature, kNotBase64},
           Row{good + std::string(1, '\0'), kNotBase64},
           Row{good.substr(0, good.size() - 1) + "+", kNotBase64},
           Row{header + "%2E." + payload + "." + signature, kNotBase64},
           // The last letter of 86 has four bits of the signature and two that must be 0.
           Row{good.substr(0, good.size() - 1) + "_", kNotBase64},
           Row{R"({"payload":")" + payload + R"(","signatures":[]})", kNotThreeParts},
       }) {
    ExpectRefused(row.token, row.why);
  }
}

TEST(JwtFormTest, RefusesWhatWasCutAnywhere) {
  const std::string good = TokenOf(GoodClaims());
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(VerifyJwt(good.substr(0, length), TestIssuer::Get().keys, TestExpectations()).verdict,
              JwtVerdict::kAccepted)
        << length;
  }
}

TEST(JwtFormTest, IsBounded) {
  const std::string filler = R"(,"filler":")" + std::string(13'000, 'x') + "\"";
  const std::string large = TokenOf(GoodClaims(R"(,"filler":")" + std::string(11'900, 'x') + "\""));
  ASSERT_LE(large.size(), kMaxTokenBytes);
  EXPECT_TRUE(VerifyJwt(large, TestIssuer::Get().keys, TestExpectations()).claims);
  const std::string larger = TokenOf(GoodClaims(filler));
  ASSERT_GT(larger.size(), kMaxTokenBytes);
  const auto outcome = VerifyJwt(larger, TestIssuer::Get().keys, TestExpectations());
  ExpectRefused(outcome, larger, "longer than 16 KiB");
  EXPECT_EQ(outcome.claims.error().limit.text(), "fixed.jwt_bytes");
  ExpectRefused(std::string(100'000, '.'), "longer than 16 KiB");
}

TEST(JwtHeaderTest, RefusesNoneInEveryLetterCase) {
  const std::string payload = InBase64Url(GoodClaims());
  for (unsigned letters = 0; letters < 16; ++letters) {
    std::string none = "none";
    for (unsigned i = 0; i < 4; ++i) {
      if ((letters >> i & 1) != 0) none[i] = static_cast<char>(none[i] - 'a' + 'A');
    }
    const std::string unsigned_text = InBase64Url(SmallHeader(none)) + "." + payload + ".";
    ExpectRefused(unsigned_text, "its signature is not base64url");
    ExpectRefused(unsigned_text + "AAAA", "it is not signed");
    ExpectRefused(TokenWithHeader(SmallHeader(none)), "it is not signed");
  }
}

TEST(JwtHeaderTest, RefusesSharedSecretsEvenWhenTheSecretIsThePublicKey) {
  const TestIssuer& issuer = TestIssuer::Get();
  for (std::string_view alg : {"HS256", "HS384", "HS512", "hs256", "Hs256", "HS1"}) {
    for (const std::string& secret :
         {issuer.rsa.PublicPem(), issuer.rsa.Jwk("rsa"), issuer.rsa.Member("n")}) {
      const std::string header = R"({"alg":")" + std::string(alg) + R"(","kid":"rsa"})";
      ExpectRefused(HmacToken(secret, header, GoodClaims()), "uses a shared secret");
    }
  }
}

TEST(JwtHeaderTest, RefusesOtherAlgorithms) {
  for (std::string_view alg :
       {"rs256", "RS256 ", " RS256", "RS1", "RS257", "ES512", "ES256K", "PS256\\u0000", "eddsa",
        "Ed25519", "Ed448", "RSA-OAEP", "A128KW", "dir", "RSASSA-PSS", "\\u0000", "RS"}) {
    ExpectRefused(TokenWithHeader(SmallHeader(alg)), "its algorithm is none of RS256");
  }
}

TEST(JwtHeaderTest, RefusesBadHeaders) {
  struct Row {
    std::string_view header;
    std::string_view why;
  };
  for (const Row& row : {
           Row{"{", "not valid JSON"},
           Row{"[]", "must be a JSON object"},
           Row{"null", "must be a JSON object"},
           Row{R"("EdDSA")", "must be a JSON object"},
           Row{R"({"kid":"ed"})", "\"alg\" must be given"},
           Row{R"({"alg":"","kid":"ed"})", "\"alg\" must be given"},
           Row{R"({"alg":null,"kid":"ed"})", "\"alg\" must be given"},
           Row{R"({"alg":["EdDSA"],"kid":"ed"})", "\"alg\" must be a string"},
           Row{R"({"alg":0,"kid":"ed"})", "\"alg\" must be a string"},
           Row{R"({"ALG":"EdDSA","kid":"ed"})", "\"alg\" must be given"},
           Row{R"({"alg":"EdDSA","kid":7})", "\"kid\" must be a string"},
           Row{R"({"alg":"EdDSA","kid":["ed"]})", "\"kid\" must be a string"},
           Row{R"({"alg":"none","alg":"EdDSA","kid":"ed"})", "has a member twice"},
           Row{R"({"alg":"EdDSA","alg":"EdDSA","kid":"ed"})", "has a member twice"},
           Row{R"({"alg":"EdDSA","kid":"x","k\u0069d":"ed"})", "has a member twice"},
           Row{R"({"alg":"EdDSA","kid":"ed","x":{"y":1,"y":1}})", "has a member twice"},
           Row{R"({"alg":"EdDSA","kid":"ed","crit":["b64"],"b64":false})", "has \"crit\""},
           Row{R"({"alg":"EdDSA","kid":"ed","crit":[]})", "has \"crit\""},
           Row{R"({"alg":"EdDSA","kid":"ed","crit":null})", "has \"crit\""},
           Row{R"({"alg":"EdDSA","kid":"ed","typ":"logout+jwt"})", "\"typ\" is neither"},
           Row{R"({"alg":"EdDSA","kid":"ed","typ":"dpop+jwt"})", "\"typ\" is neither"},
           Row{R"({"alg":"EdDSA","kid":"ed","typ":"JOSE"})", "\"typ\" is neither"},
           Row{R"({"alg":"EdDSA","kid":"ed","typ":"JWT "})", "\"typ\" is neither"},
           Row{R"({"alg":"EdDSA","kid":"ed","typ":1})", "\"typ\" must be a string"},
           Row{R"({"alg":"EdDSA","kid":"ed","cty":"JWT"})", "contains another token"},
           Row{R"({"alg":"EdDSA","kid":"ed"}{})", "not valid JSON"},
           Row{"\xef\xbb\xbf{\"alg\":\"EdDSA\",\"kid\":\"ed\"}", "not valid JSON"},
           Row{"{\"alg\":\"EdDSA\",\"kid\":\"\xff\"}", "not valid JSON"},
           Row{R"({"alg":"EdDSA","kid":"ed",})", "not valid JSON"},
           Row{R"({'alg':'EdDSA'})", "not valid JSON"},
           Row{R"({"alg":"EdDSA","kid":"ed"/**/})", "not valid JSON"},
       }) {
    ExpectRefused(TokenWithHeader(row.header), row.why);
  }
  ExpectRefused(TokenWithHeader(R"({"alg":"EdDSA","kid":"ed","x":)" + std::string(40, '[') +
                                std::string(40, ']') + "}"),
                "not valid JSON");
}

TEST(JwtHeaderTest, TakesTheTypesOfTokensAndWhatItDoesNotKnow) {
  for (std::string_view more :
       {R"(,"typ":"JWT")", R"(,"typ":"jwt")", R"(,"typ":"at+jwt")", R"(,"typ":"AT+JWT")",
        R"(,"typ":"application/at+jwt")", R"(,"x5t":"abc")", R"(,"typ":null)",
        R"(,"jku":"https://evil.example.com/jwks")", R"(,"b64":true)"}) {
    const std::string token =
        TokenWithHeader(R"({"alg":"EdDSA","kid":"ed")" + std::string(more) + "}");
    const auto outcome = VerifyJwt(token, TestIssuer::Get().keys, TestExpectations());
    EXPECT_TRUE(outcome.claims) << more << outcome.claims.error().message;
  }
}

TEST(UnverifiedIssuerTest, TellsWhoseKeysToTryAndNothingOfWhatIsMalformed) {
  EXPECT_EQ(UnverifiedIssuer(TokenOf(GoodClaims())).value(), kTestIssuer);
  for (const std::string& bad :
       {std::string(), std::string("a.b.c"), TokenOf("{}"), TokenOf(R"({"iss":"a","iss":"b"})"),
        TokenOf("[]"), std::string(20'000, 'x')}) {
    const auto issuer = UnverifiedIssuer(bad);
    ASSERT_FALSE(issuer) << bad;
    EXPECT_EQ(issuer.error().kind, ErrorKind::kUnauthenticated);
  }
}

}  // namespace
}  // namespace koya::oidc
