// Tokens by their keys and signatures.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/encoding.h"
#include "oidc/algorithm.h"
#include "oidc/jwt_rows_fake.h"

namespace koya::oidc {
namespace {

const FakeKey& KeyFor(std::string_view alg) {
  const TestIssuer& issuer = TestIssuer::Get();
  if (alg == "ES256") return issuer.p256;
  if (alg == "ES384") return issuer.p384;
  return alg == "EdDSA" ? issuer.ed : issuer.rsa;
}

std::string KidFor(std::string_view alg) {
  if (alg == "ES256") return "p256";
  if (alg == "ES384") return "p384";
  return alg == "EdDSA" ? "ed" : "rsa";
}

JwtOutcome Judge(std::string_view token, const KeySet& keys = TestIssuer::Get().keys) {
  return VerifyJwt(token, keys, TestExpectations());
}

// A token whose signature is these bytes.
std::string WithSignature(std::string_view alg, std::string_view signature) {
  const std::string token = SignedToken(KeyFor(alg), alg, KidFor(alg), GoodClaims());
  return token.substr(0, token.rfind('.') + 1) + InBase64Url(signature);
}

std::string SignatureOf(std::string_view alg) {
  const std::string token = SignedToken(KeyFor(alg), alg, KidFor(alg), GoodClaims());
  return Base64UrlDecode(token.substr(token.rfind('.') + 1)).value();
}

TEST(JwtSignatureTest, TakesEveryAlgorithmWithAndWithoutKid) {
  for (const Algorithm algorithm : kAlgorithms) {
    const std::string_view alg = AlgorithmName(algorithm);
    for (const std::string& kid : {KidFor(alg), std::string()}) {
      const auto outcome = Judge(SignedToken(KeyFor(alg), alg, kid, GoodClaims()));
      EXPECT_EQ(outcome.verdict, JwtVerdict::kAccepted) << alg;
      ASSERT_TRUE(outcome.claims) << alg << outcome.claims.error().message;
      EXPECT_EQ(outcome.claims->subject(), "u-1");
    }
  }
}

TEST(JwtSignatureTest, RefusesAnyChangeOfHeaderPayloadOrSignature) {
  for (std::string_view alg : {"RS256", "PS256", "ES256", "EdDSA"}) {
    const std::string good = SignedToken(KeyFor(alg), alg, KidFor(alg), GoodClaims());
    for (std::size_t i = 0; i < good.size(); i += alg == "EdDSA" ? 1 : 7) {
      std::string changed = good;
      changed[i] = changed[i] == 'A' ? 'B' : 'A';
      if (changed != good) EXPECT_NE(Judge(changed).verdict, JwtVerdict::kAccepted) << alg << i;
    }
  }
}

TEST(JwtSignatureTest, RefusesSignaturesOfAnotherShape) {
  for (std::string_view alg : {"RS256", "PS512", "ES256", "ES384", "EdDSA"}) {
    const std::string good = SignatureOf(alg);
    for (const std::string& bad :
         {good + good, good + std::string(1, '\0'), std::string(1, '\0') + good,
          good.substr(0, good.size() - 1), good.substr(1), good.substr(0, good.size() / 2),
          std::string(1, '\0'), std::string(good.size(), '\0'), std::string(good.size(), '\xff')}) {
      ExpectRefused(WithSignature(alg, bad), "its signature");
    }
  }
}

TEST(JwtSignatureTest, RefusesPssWithASaltOfAnotherLength) {
  for (std::string_view alg : {"PS256", "PS384", "PS512"}) {
    const std::string token = WithSignature(alg, "x");
    const std::string text = token.substr(0, token.rfind('.'));
    for (int salt : {0, 20, 31, 33, 49, 65}) {
      ExpectRefused(text + "." + InBase64Url(KeyFor(alg).SignWithSalt(alg, text, salt)),
                    "its signature is wrong");
    }
  }
}

TEST(JwtSignatureTest, RefusesEcdsaInDer) {
  for (std::string_view alg : {"ES256", "ES384"}) {
    const std::string token = WithSignature(alg, "x");
    const std::string text = token.substr(0, token.rfind('.'));
    ExpectRefused(text + "." + InBase64Url(KeyFor(alg).SignInDer(alg, text)), "not DER");
  }
}

TEST(JwtSignatureTest, RefusesEcdsaNumbersOutOfRange) {
  // The orders of the curves (FIPS 186-4 §D.1.2): numbers are below them, and above 0.
  const std::string order_256 =
      Base64UrlDecode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE").value();
  ASSERT_EQ(order_256.size(), 32u);
  for (std::string_view alg : {"ES256", "ES384"}) {
    const std::string good = SignatureOf(alg);
    const std::size_t half = good.size() / 2;
    const std::string zero(half, '\0');
    const std::string one = std::string(half - 1, '\0') + '\1';
    // The same numbers with a zero before each: one signature has one spelling.
    const std::string nought(1, '\0');
    ExpectRefused(WithSignature(alg, nought + good.substr(0, half) + nought + good.substr(half)),
                  "does not have the length");
    for (const std::string& bad :
         {zero + good.substr(half), good.substr(0, half) + zero, zero + zero, one + zero,
          zero + one, one + one, good.substr(half) + good.substr(0, half)}) {
      ExpectRefused(WithSignature(alg, bad), "its signature is wrong");
    }
  }
  const std::string good = SignatureOf("ES256");
  ExpectRefused(WithSignature("ES256", order_256 + good.substr(32)), "its signature is wrong");
  ExpectRefused(WithSignature("ES256", good.substr(0, 32) + order_256), "its signature is wrong");
}

// The header names an algorithm and a key; the signature was made in another way, or by another
// key.
TEST(JwtSignatureTest, RefusesOneAlgorithmInTheNameOfAnother) {
  const TestIssuer& issuer = TestIssuer::Get();
  struct Row {
    std::string_view alg;
    std::string_view kid;
    const FakeKey& signer;
    std::string_view signed_as;
    std::string_view why;
  };
  const FakeKey other_p256 = FakeKey::Curve("P-256");
  const FakeKey p521 = FakeKey::Curve("P-521");
  const FakeKey koblitz = FakeKey::Curve("secp256k1");
  const FakeKey other_ed = FakeKey::Ed25519('o');
  for (const Row& row : {
           Row{"RS256", "rsa", issuer.rsa, "RS384", "its signature is wrong"},
           Row{"RS512", "rsa", issuer.rsa, "RS256", "its signature is wrong"},
           Row{"RS256", "rsa", issuer.rsa, "PS256", "its signature is wrong"},
           Row{"PS256", "rsa", issuer.rsa, "RS256", "its signature is wrong"},
           Row{"PS384", "rsa", issuer.rsa, "PS256", "its signature is wrong"},
           Row{"ES256", "p256", issuer.p384, "ES384", "does not have the length"},
           Row{"ES384", "p384", issuer.p256, "ES256", "does not have the length"},
           Row{"ES256", "p256", other_p256, "ES256", "its signature is wrong"},
           Row{"ES256", "p256", koblitz, "ES256", "its signature is wrong"},
           Row{"ES256", "p256", p521, "ES512", "does not have the length"},
           Row{"EdDSA", "ed", other_ed, "EdDSA", "its signature is wrong"},
           Row{"RS256", "p256", issuer.rsa, "RS256", "its key is not for its algorithm"},
           Row{"RS256", "ed", issuer.rsa, "RS256", "its key is not for its algorithm"},
           Row{"ES256", "rsa", issuer.p256, "ES256", "its key is not for its algorithm"},
           Row{"ES256", "p384", issuer.p384, "ES256", "its key is not for its algorithm"},
           Row{"ES384", "p256", issuer.p256, "ES384", "its key is not for its algorithm"},
           Row{"EdDSA", "p256", issuer.ed, "EdDSA", "its key is not for its algorithm"},
           Row{"ES256", "ed", issuer.ed, "EdDSA", "its key is not for its algorithm"},
       }) {
    const std::string header =
        R"({"alg":")" + std::string(row.alg) + R"(","kid":")" + std::string(row.kid) + R"("})";
    ExpectRefused(SignToken(row.signer, row.signed_as, header, GoodClaims()), row.why);
  }
}

TEST(JwtSignatureTest, AnUnknownKeyIsTold) {
  const TestIssuer& issuer = TestIssuer::Get();
  for (std::string_view kid : {"other", "RSA", "rsa ", "rs", "p256\\u0000"}) {
    ExpectRefused(SignedToken(issuer.rsa, "RS256", kid, GoodClaims()),
                  "a key that its issuer does not publish", JwtVerdict::kUnknownKey);
  }
  const FakeKey stranger = FakeKey::Ed25519('s');
  ExpectRefused(SignedToken(stranger, "EdDSA", "", GoodClaims()), "no key of its issuer",
                JwtVerdict::kUnknownKey);
  ExpectRefused(SignedToken(stranger, "EdDSA", "ed", GoodClaims()), "its signature is wrong");
  const std::string good = TokenOf(GoodClaims());
  ExpectRefused(Judge(good, KeySet()), good, "does not publish", JwtVerdict::kUnknownKey);
}

TEST(JwtSignatureTest, AKeyThatTheTokenBringsAlongIsNotLookedAt) {
  const FakeKey own = FakeKey::Ed25519('m');
  for (const std::string& header :
       {R"({"alg":"EdDSA","jwk":)" + own.Jwk() + "}",
        R"({"alg":"EdDSA","kid":"own","jwk":)" + own.Jwk("own") + "}",
        std::string(R"({"alg":"EdDSA","kid":"own","jku":"https://evil.example.com/jwks"})")}) {
    ExpectRefused(SignToken(own, "EdDSA", header, GoodClaims()), "its issuer",
                  JwtVerdict::kUnknownKey);
  }
}

TEST(JwtSignatureTest, OfSeveralKeysWithOneIdAllAreTried) {
  const FakeKey one = FakeKey::Ed25519('1');
  const FakeKey two = FakeKey::Ed25519('2');
  const FakeKey three = FakeKey::Ed25519('3');
  const TestIssuer& issuer = TestIssuer::Get();
  const KeySet keys =
      KeySet::Parse(Jwks({issuer.p256.Jwk("k"), one.Jwk("k"), two.Jwk("k"), three.Jwk()})).value();
  for (const FakeKey& key : {one, two}) {
    EXPECT_TRUE(Judge(SignedToken(key, "EdDSA", "k", GoodClaims()), keys).claims);
  }
  EXPECT_TRUE(Judge(SignedToken(issuer.p256, "ES256", "k", GoodClaims()), keys).claims);
  EXPECT_TRUE(Judge(SignedToken(three, "EdDSA", "", GoodClaims()), keys).claims);
  EXPECT_FALSE(Judge(SignedToken(three, "EdDSA", "k", GoodClaims()), keys).claims);
}

TEST(JwtSignatureTest, AKeyIsOnlyForTheAlgorithmThatItNames) {
  const TestIssuer& issuer = TestIssuer::Get();
  const KeySet keys = KeySet::Parse(Jwks({issuer.rsa.Jwk("k", R"(,"alg":"RS256")")})).value();
  EXPECT_TRUE(Judge(SignedToken(issuer.rsa, "RS256", "k", GoodClaims()), keys).claims);
  for (std::string_view alg : {"RS384", "RS512", "PS256"}) {
    const std::string token = SignedToken(issuer.rsa, alg, "k", GoodClaims());
    ExpectRefused(Judge(token, keys), token, "its key is not for its algorithm");
    const std::string without_kid = SignedToken(issuer.rsa, alg, "", GoodClaims());
    ExpectRefused(Judge(without_kid, keys), without_kid, "no key of its issuer",
                  JwtVerdict::kUnknownKey);
  }
}

TEST(JwtSignatureTest, AWeakKeyVerifiesNothing) {
  const FakeKey weak = FakeKey::Rsa(1024);
  const KeySet keys = KeySet::Parse(Jwks({weak.Jwk("weak")})).value();
  for (std::string_view kid : {"weak", ""}) {
    const std::string token = SignedToken(weak, "RS256", kid, GoodClaims());
    ExpectRefused(Judge(token, keys), token, "its issuer", JwtVerdict::kUnknownKey);
  }
}

TEST(JwtSignatureTest, OnlyTheAlgorithmsOfTheIssuerAreTaken) {
  Expectations expected = TestExpectations();
  expected.algorithms = {Algorithm::kRs256, Algorithm::kEs256};
  const KeySet& keys = TestIssuer::Get().keys;
  for (std::string_view alg : {"RS256", "ES256"}) {
    EXPECT_TRUE(VerifyJwt(SignedToken(KeyFor(alg), alg, "", GoodClaims()), keys, expected).claims);
  }
  for (std::string_view alg : {"PS256", "RS384", "ES384", "EdDSA"}) {
    const std::string token = SignedToken(KeyFor(alg), alg, "", GoodClaims());
    ExpectRefused(VerifyJwt(token, keys, expected), token, "does not say it uses");
  }
}

// RFC 8037 §A.4: what others have signed.
TEST(JwtSignatureTest, TakesTheSignatureOfTheRfcAndThenFindsNoClaims) {
  const KeySet keys = KeySet::Parse(Jwks({R"({"kty":"OKP","crv":"Ed25519",)"
                                          R"("x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})"}))
                          .value();
  const std::string token =
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
  ExpectRefused(Judge(token, keys), token, "the token's claims is not valid JSON");
}

}  // namespace
}  // namespace koya::oidc
