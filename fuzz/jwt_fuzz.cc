// Signed tokens. The first byte selects the kind of the rest: a token as it was sent; a header, or
// claims, with a correct signature, so that the code after the signature check meets hostile bytes
// too; or a signature under good claims. An accepted token has the expected claims.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "oidc/issuer_fake.h"
#include "oidc/jwt.h"

namespace {

namespace oidc = koya::oidc;

constexpr koya::UnixSeconds kNow = 1'733'011'200;
constexpr koya::UnixSeconds kSkew = 60;
constexpr std::string_view kHeader = R"({"alg":"EdDSA","kid":"ed"})";
constexpr std::string_view kClaims =
    R"({"iss":"https://i","aud":"a","sub":"s","exp":1733011500,"nonce":"n"})";

void Must(bool holds) {
  if (!holds) std::abort();
}

const oidc::FakeKey& Key() {
  static const auto* key = new oidc::FakeKey(oidc::FakeKey::Ed25519());
  return *key;
}

// With a key of each kind, so that every algorithm has one to be tried with.
const oidc::KeySet& Keys() {
  static const auto* keys = new oidc::KeySet(
      oidc::KeySet::Parse(oidc::Jwks({Key().Jwk("ed"), oidc::FakeKey::Rsa().Jwk("rsa"),
                                      oidc::FakeKey::Curve("P-256").Jwk("p256"),
                                      oidc::FakeKey::Curve("P-384").Jwk("p384")}))
          .value());
  return *keys;
}

std::string TokenFrom(unsigned choice, std::string_view rest) {
  switch (choice) {
    case 0:
      return std::string(rest);
    case 1:
      return oidc::SignToken(Key(), "EdDSA", rest, kClaims);
    case 2:
      return oidc::SignToken(Key(), "EdDSA", kHeader, rest);
    default: {
      constexpr std::string_view kAlgorithms[] = {"RS256", "PS384", "ES256", "ES384", "EdDSA"};
      const std::string header = R"({"alg":")" + std::string(kAlgorithms[choice % 5]) + R"("})";
      return oidc::InBase64Url(header) + "." + oidc::InBase64Url(kClaims) + "." +
             oidc::InBase64Url(rest);
    }
  }
}

void CheckAccepted(const oidc::Claims& claims, std::string_view token) {
  Must(claims.issuer() == "https://i" && !claims.subject().empty());
  Must(claims.nonce() == "n" && claims.expires_at() + kSkew > kNow);
  Must(claims.not_before().value_or(0) <= kNow + kSkew);
  Must(claims.issued_at().value_or(0) <= kNow + kSkew);
  bool ours = false;
  for (const std::string& each : claims.audience()) ours = ours || each == "a";
  Must(ours && oidc::UnverifiedIssuer(token).value() == claims.issuer());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const unsigned choice = data[0] % 8U;  // '0' to '7'
  const std::string token = TokenFrom(choice, rest);
  const oidc::Expectations expected{.issuer = "https://i",
                                    .audience = "a",
                                    .now = kNow,
                                    .skew = std::chrono::seconds(kSkew),
                                    .nonce = "n"};
  const oidc::JwtOutcome outcome = oidc::VerifyJwt(token, Keys(), expected);
  Must(outcome.claims.has_value() == (outcome.verdict == oidc::JwtVerdict::kAccepted));
  (void)oidc::UnverifiedIssuer(token);
  if (outcome.claims) {
    CheckAccepted(*outcome.claims, token);
    Must(!oidc::VerifyJwt(token + "A", Keys(), expected).claims);
    Must(!oidc::VerifyJwt(token, oidc::KeySet(), expected).claims);
  } else {
    Must(outcome.claims.error().kind == koya::ErrorKind::kUnauthenticated);
    Must(outcome.claims.error().message.starts_with("the token is rejected: "));
  }
  return 0;
}
