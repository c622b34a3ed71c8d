// What the tests of jwt.h share: one issuer with a key of each kind, a token that is good, and how
// one that is not is expected to be refused.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "oidc/issuer_fake.h"
#include "oidc/jwt.h"

namespace koya::oidc {

inline constexpr UnixSeconds kTestNow = 1'733'011'200;
inline constexpr std::string_view kTestIssuer = "https://id.example.com";
inline constexpr std::string_view kTestAudience = "https://koya.example.com";

struct TestIssuer {
  FakeKey rsa = FakeKey::Rsa();
  FakeKey p256 = FakeKey::Curve("P-256");
  FakeKey p384 = FakeKey::Curve("P-384");
  FakeKey ed = FakeKey::Ed25519();
  KeySet keys =
      KeySet::Parse(Jwks({rsa.Jwk("rsa"), p256.Jwk("p256"), p384.Jwk("p384"), ed.Jwk("ed")}))
          .value();

  // Keys take their time to be made.
  static const TestIssuer& Get() {
    static const auto* issuer = new TestIssuer;  // never destroyed: tests end in any order
    return *issuer;
  }
};

inline Expectations TestExpectations() {
  return {
      .issuer = std::string(kTestIssuer), .audience = std::string(kTestAudience), .now = kTestNow};
}

// The claims of a good token, with `more` before the end: R"(,"nonce":"n")".
inline std::string GoodClaims(std::string_view more = "") {
  return R"({"iss":"https://id.example.com","aud":"https://koya.example.com","sub":"u-1",)"
         R"("exp":1733011500,"nbf":1733011200,"iat":1733011200)" +
         std::string(more) + "}";
}

// A token whose claims are these.
inline std::string TokenOf(std::string_view claims) {
  return SignedToken(TestIssuer::Get().ed, "EdDSA", "ed", claims);
}

// A header of one's own, with good claims, signed as `alg` says.
inline std::string TokenWithHeader(std::string_view header, std::string_view alg = "EdDSA") {
  const TestIssuer& issuer = TestIssuer::Get();
  const FakeKey& key = alg == "EdDSA" ? issuer.ed : issuer.rsa;
  return SignToken(key, alg, header, GoodClaims());
}

// Refused with a sentence that holds `why` and nothing of the token as it was sent.
inline void ExpectRefused(const JwtOutcome& outcome, std::string_view token, std::string_view why,
                          JwtVerdict verdict = JwtVerdict::kRefused) {
  SCOPED_TRACE(token.substr(0, 400));
  EXPECT_EQ(outcome.verdict, verdict);
  ASSERT_FALSE(outcome.claims);
  const Error& error = outcome.claims.error();
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
  EXPECT_TRUE(error.message.starts_with("the token is rejected: ")) << error.message;
  EXPECT_TRUE(error.message.contains(why)) << error.message;
  for (std::size_t start = 0; start < token.size(); start = token.find('.', start) + 1) {
    const std::string_view part = token.substr(start, token.find('.', start) - start);
    if (part.size() > 8) EXPECT_FALSE(error.message.contains(part)) << error.message;
    if (token.find('.', start) == std::string_view::npos) break;
  }
}

inline void ExpectRefused(std::string_view token, std::string_view why,
                          JwtVerdict verdict = JwtVerdict::kRefused) {
  ExpectRefused(VerifyJwt(token, TestIssuer::Get().keys, TestExpectations()), token, why, verdict);
}

}  // namespace koya::oidc
