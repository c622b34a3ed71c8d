#include "oidc/jwks.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "oidc/issuer_fake.h"

namespace koya::oidc {
namespace {

// An RSA key's numbers, which need not belong to a real key.
std::string RsaJwk(std::size_t bits, std::string_view exponent = "AQAB") {
  std::string modulus(bits / 8, '\xff');
  modulus.front() = '\x80';
  return R"({"kty":"RSA","kid":"k","n":")" + InBase64Url(modulus) + R"(","e":")" +
         std::string(exponent) + "\"}";
}

std::string CurveJwk(std::string_view curve, std::string_view x, std::string_view y) {
  return R"({"kty":"EC","kid":"k","crv":")" + std::string(curve) + R"(","x":")" + std::string(x) +
         R"(","y":")" + std::string(y) + "\"}";
}

TEST(KeySetTest, TakesTheKeysThatItKnows) {
  const std::string document =
      Jwks({RsaJwk(2048), RsaJwk(3072), RsaJwk(8192), RsaJwk(2048, "Aw"),
            FakeKey::Curve("P-256").Jwk("a", R"(,"use":"sig","alg":"ES256")"),
            FakeKey::Curve("P-384").Jwk("b", R"(,"key_ops":["verify"],"x5c":["MIIB"])"),
            FakeKey::Ed25519().Jwk("", R"(,"alg":"EdDSA","use":null)")});
  const KeySet keys = KeySet::Parse(document).value();
  EXPECT_EQ(keys.size(), 7u) << testing::PrintToString(keys.left_out());
  EXPECT_TRUE(keys.left_out().empty());
  EXPECT_EQ(keys.WithId("k").size(), 4u);
  EXPECT_EQ(keys.WithId("").size(), 7u);
  EXPECT_TRUE(keys.WithId("c").empty());
  ASSERT_EQ(keys.WithId("a").size(), 1u);
  EXPECT_EQ(keys.WithId("a")[0]->algorithm, Algorithm::kEs256);
  EXPECT_EQ(keys.WithId("b")[0]->kind, KeyKind::kP384);
}

TEST(KeySetTest, LeavesOutTheRestAndSaysWhy) {
  const FakeKey p256 = FakeKey::Curve("P-256");
  const FakeKey p384 = FakeKey::Curve("P-384");
  const FakeKey ed = FakeKey::Ed25519();
  const std::string x = p256.Member("x");
  const std::string y = p256.Member("y");
  struct Row {
    std::string jwk;
    std::string_view why;
  };
  for (const Row& row : {
           Row{RsaJwk(512), "fewer than 2048 bits"},
           Row{RsaJwk(1024), "fewer than 2048 bits"},
           Row{RsaJwk(2040), "fewer than 2048 bits"},
           Row{RsaJwk(8200), "more than 8192 bits"},
           Row{RsaJwk(65536), "more than 8192 bits"},
           Row{RsaJwk(2048, "AQ"), "not those of an RSA key"},       // 1
           Row{RsaJwk(2048, "AA"), "not those of an RSA key"},       // 0
           Row{RsaJwk(2048, "AQAA"), "not those of an RSA key"},     // even
           Row{RsaJwk(2048, "AQAAAAE"), "not those of an RSA key"},  // beyond 32 bits
           Row{RsaJwk(2048, "AQAB="), "not base64url"},
           Row{RsaJwk(2048, ""), "not those of an RSA key"},
           Row{R"({"kty":"RSA","n":")" + InBase64Url(std::string(256, '\xfe')) + R"(","e":"AQAB"})",
               "not those of an RSA key"},
           Row{R"({"kty":"RSA","e":"AQAB"})", "fewer than 2048 bits"},
           Row{CurveJwk("P-256", x, x), "not on its curve"},
           Row{CurveJwk("P-256", y, x), "not on its curve"},
           Row{CurveJwk("P-256", InBase64Url(std::string(32, '\0')),
                        InBase64Url(std::string(32, '\0'))),
               "not on its curve"},
           Row{CurveJwk("P-256", InBase64Url(std::string(32, '\xff')), y), "not on its curve"},
           Row{CurveJwk("P-256", x, ""), "length of its curve"},
           Row{CurveJwk("P-256", p384.Member("x"), p384.Member("y")), "length of its curve"},
           Row{CurveJwk("P-384", x, y), "length of its curve"},
           Row{CurveJwk("P-256", x + "=", y), "length of its curve"},
           Row{CurveJwk("P-256", InBase64Url(std::string(1, '\0')) + x, y), "length of its curve"},
           Row{FakeKey::Curve("P-521").Jwk(), "none of RSA, EC"},
           Row{CurveJwk("secp256k1", x, y), "none of RSA, EC"},
           Row{CurveJwk("p-256", x, y), "none of RSA, EC"},
           Row{R"({"kty":"OKP","crv":"X25519","x":")" + ed.Member("x") + "\"}", "none of RSA, EC"},
           Row{R"({"kty":"OKP","crv":"Ed25519","x":"AAAA"})", "32 bytes"},
           Row{R"({"kty":"oct","k":"c2VjcmV0"})", "none of RSA, EC"},
           Row{R"({"kty":"rsa"})", "none of RSA, EC"},
           Row{R"({"kty":"AKP"})", "none of RSA, EC"},
           Row{p256.Jwk("k", R"(,"use":"enc")"), "not for signatures"},
           Row{p256.Jwk("k", R"(,"use":"SIG")"), "not for signatures"},
           Row{p256.Jwk("k", R"(,"key_ops":["encrypt"])"), "not for signatures"},
           Row{p256.Jwk("k", R"(,"key_ops":["sign"])"), "not for signatures"},
           Row{p256.Jwk("k", R"(,"alg":"ES384")"), "not with such a key"},
           Row{p256.Jwk("k", R"(,"alg":"RS256")"), "not with such a key"},
           Row{p256.Jwk("k", R"(,"alg":"HS256")"), "not accepted"},
           Row{p256.Jwk("k", R"(,"alg":"none")"), "not accepted"},
           Row{p256.Jwk("k", R"(,"alg":"ECDH-ES")"), "not accepted"},
           Row{RsaJwk(2048).insert(1, R"("alg":"RSA-OAEP",)"), "not accepted"},
           Row{p256.Jwk("k", R"(,"d":"AAAA")"), "secret half"},
           Row{"{}", "malformed"},
           Row{"7", "malformed"},
           Row{R"({"kty":"RSA","n":5,"e":"AQAB"})", "malformed"},
           Row{p256.Jwk("k", R"(,"use":["sig"])"), "malformed"},
           Row{p256.Jwk("k", R"(,"kid":7)"), "malformed"},
       }) {
    const auto keys = KeySet::Parse(Jwks({row.jwk, ed.Jwk("good")}));
    ASSERT_TRUE(keys) << row.jwk << keys.error().message;
    EXPECT_EQ(keys->size(), 1u) << row.jwk;
    ASSERT_EQ(keys->left_out().size(), 1u) << row.jwk;
    EXPECT_TRUE(keys->left_out()[0].contains(row.why)) << row.jwk << keys->left_out()[0];
  }
}

TEST(KeySetTest, LeadingZerosMakeNoKeyStronger) {
  const std::string zeros(900, '\0');
  const auto padded = [&](std::size_t bytes) {
    return R"({"kty":"RSA","n":")" + InBase64Url(zeros + std::string(bytes, '\xff')) +
           R"(","e":")" + InBase64Url(zeros + '\3') + "\"}";
  };
  EXPECT_EQ(KeySet::Parse(Jwks({padded(128)}))->size(), 0u);
  EXPECT_EQ(KeySet::Parse(Jwks({padded(256)}))->size(), 1u);
}

TEST(KeySetTest, RefusesWhatIsNoKeySetOrBeyondItsBounds) {
  for (std::string_view bad : {"", "x", "[]", "{}", R"({"keys":null})", R"({"keys":{}})",
                               R"({"keys":"AQAB"})", R"({"kty":"RSA","n":"AQAB","e":"AQAB"})"}) {
    const auto keys = KeySet::Parse(bad);
    ASSERT_FALSE(keys) << bad;
    EXPECT_EQ(keys.error().kind, ErrorKind::kInvalid) << bad;
  }
  const std::string key = FakeKey::Ed25519().Jwk("k");
  EXPECT_EQ(KeySet::Parse(Jwks(std::vector<std::string>(100, key)))->size(), 100u);
  for (const std::string& each : {key, std::string("{}"), std::string(R"({"kty":"oct"})")}) {
    const auto many = KeySet::Parse(Jwks(std::vector<std::string>(101, each)));
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().limit.text(), "fixed.jwks_keys");
  }
  std::string giant = Jwks({key});
  giant.resize(KeySet::kMaxBytes, ' ');
  EXPECT_TRUE(KeySet::Parse(giant));
  giant += ' ';
  const auto refused = KeySet::Parse(giant);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().limit.text(), "fixed.jwks_bytes");
}

TEST(KeySetTest, AnEmptySetIsOne) {
  EXPECT_EQ(KeySet::Parse(R"({"keys":[]})")->size(), 0u);
  EXPECT_TRUE(KeySet().WithId("").empty());
}

TEST(AlgorithmTest, NamesReadBackAndNothingElseDoes) {
  for (const Algorithm each : kAlgorithms) EXPECT_EQ(ParseAlgorithm(AlgorithmName(each)), each);
  for (std::string_view bad : {"", "none", "HS256", "rs256", "RS256 ", "ES512", "ES256K"}) {
    EXPECT_FALSE(ParseAlgorithm(bad)) << bad;
  }
}

}  // namespace
}  // namespace koya::oidc
