#include "oidc/jwt.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "base/text.h"
#include "oidc/jwks.h"
#include "wire/foreign/openid.h"

namespace koya::oidc {
namespace {

// A token taken apart. The first is a view of the token, the others are decoded.
struct TokenParts {
  std::string_view signed_text;
  std::string header;
  std::string payload;
  std::string signature;
};

template <class List, class Value>
bool IsAmong(const List& list, const Value& value) {
  return std::ranges::find(list, value) != list.end();
}

Failure RefuseToken(std::string_view why) {
  return FailUnauthenticated("the token is rejected: {}", why);
}

// For documents inside a token, whose decoders know nothing of tokens.
Failure RefuseToken(Error error) {
  error.kind = ErrorKind::kUnauthenticated;
  error.message = "the token is rejected: " + error.message;
  return Failure(std::move(error));
}

Result<std::string> DecodePart(std::string_view name, std::string_view text) {
  auto bytes = Base64UrlDecode(text);
  if (!bytes || bytes->empty()) {
    return RefuseToken(fmt::format("its {} is not base64url without padding", name));
  }
  return *std::move(bytes);
}

Result<TokenParts> TakeApart(std::string_view token) {
  if (token.size() > kMaxTokenBytes) {
    return FailLimit(
        ErrorKind::kUnauthenticated, "fixed.jwt_bytes",
        fmt::format("the token is rejected: it is longer than {} KiB", kMaxTokenBytes >> 10));
  }
  const auto dots = std::ranges::count(token, '.');
  if (dots == 4) return RefuseToken("it is encrypted; have the issuer only sign it");
  if (dots != 2) {
    return RefuseToken(
        "it is not a signed JSON Web Token, which has three parts with dots between them");
  }
  const std::size_t first = token.find('.');
  const std::size_t second = token.rfind('.');
  TokenParts parts{token.substr(0, second), {}, {}, {}};
  ASSIGN_OR_RETURN(parts.header, DecodePart("header", token.substr(0, first)));
  ASSIGN_OR_RETURN(parts.payload,
                   DecodePart("payload", token.substr(first + 1, second - first - 1)));
  ASSIGN_OR_RETURN(parts.signature, DecodePart("signature", token.substr(second + 1)));
  return parts;
}

bool IsTokenType(std::string_view typ) {
  constexpr std::string_view kMediaPrefix = "application/";
  std::string type = AsciiLower(typ);
  if (type.starts_with(kMediaPrefix)) type.erase(0, kMediaPrefix.size());
  return type == "jwt" || type == "at+jwt";
}

Result<Algorithm> AlgorithmOf(const wire::JoseHeader& header, const Expectations& expected) {
  const std::string folded = AsciiLower(header.alg);
  if (folded == "none") return RefuseToken("it is not signed (alg \"none\")");
  if (folded.starts_with("hs")) {
    return RefuseToken(
        "its algorithm uses a shared secret (HS256 and the like); have the issuer sign with a key "
        "pair");
  }
  const std::optional<Algorithm> algorithm = ParseAlgorithm(header.alg);
  if (!algorithm) {
    return RefuseToken(fmt::format("its algorithm is none of {}", kAlgorithmNames));
  }
  if (!expected.algorithms.empty() && !IsAmong(expected.algorithms, *algorithm)) {
    return RefuseToken(fmt::format("it is signed with {}, which its issuer does not say it uses",
                                   AlgorithmName(*algorithm)));
  }
  return *algorithm;
}

Result<wire::JoseHeader> ReadHeader(std::string_view json) {
  auto header = wire::DecodeJoseHeader(json);
  if (!header) return RefuseToken(std::move(header).error());
  if (header->critical) {
    return RefuseToken("its header has \"crit\": extensions that must be understood are not");
  }
  if (!header->typ.empty() && !IsTokenType(header->typ)) {
    return RefuseToken("its header's \"typ\" is neither JWT nor at+jwt: it is for something else");
  }
  if (AsciiLower(header->cty) == "jwt") {
    return RefuseToken("it contains another token (cty \"JWT\")");
  }
  return header;
}

struct KeySearch {
  JwtVerdict verdict;
  std::string_view why = {};
};

// Whether a key of the set has signed it. kAccepted means only that.
KeySearch FindSigner(const TokenParts& parts, const wire::JoseHeader& header, Algorithm algorithm,
                     const KeySet& keys) {
  auto candidates = keys.WithId(header.kid);
  if (candidates.empty()) {
    return {JwtVerdict::kUnknownKey, "it is signed with a key that its issuer does not publish"};
  }
  std::erase_if(candidates, [&](const VerificationKey* key) { return !key->Fits(algorithm); });
  const bool holds = std::ranges::any_of(candidates, [&](const VerificationKey* key) {
    return VerifySignature(algorithm, *key, parts.signed_text, parts.signature);
  });
  if (holds) return {JwtVerdict::kAccepted};
  if (header.kid.empty()) {
    return {JwtVerdict::kUnknownKey, "no key of its issuer has signed it"};
  }
  if (candidates.empty()) {
    return {JwtVerdict::kRefused, "its key is not for its algorithm"};
  }
  const std::size_t size = SignatureSize(algorithm);
  if (size != 0 && parts.signature.size() != size) {
    return {JwtVerdict::kRefused,
            "its signature does not have the length of its algorithm's (of ES256 and ES384 it is "
            "two numbers side by side, not DER)"};
  }
  return {JwtVerdict::kRefused, "its signature is wrong"};
}

bool SameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Status CheckParties(const Claims& claims, const Expectations& expected) {
  if (claims.issuer() != expected.issuer || expected.issuer.empty()) {
    return RefuseToken(fmt::format("its issuer is \"{}\", not \"{}\"",
                                   Printable(claims.issuer(), 100), expected.issuer));
  }
  if (!IsAmong(claims.audience(), expected.audience)) {
    return RefuseToken(fmt::format("it is for \"{}\", not for \"{}\" (aud)",
                                   Printable(claims.audience().front(), 100), expected.audience));
  }
  const auto& party = claims.authorized_party();
  if (claims.audience().size() > 1 && party && *party != expected.audience) {
    return RefuseToken("it is for several audiences, and was issued to another one of them (azp)");
  }
  return {};
}

Status CheckTimes(const Claims& claims, const Expectations& expected) {
  const UnixSeconds now = expected.now;
  const UnixSeconds skew = expected.skew.count();
  if (now >= claims.expires_at() + skew) {
    return RefuseToken(fmt::format("it expired at {} (exp)", FormatRfc3339(claims.expires_at())));
  }
  if (claims.not_before() && *claims.not_before() > now + skew) {
    return RefuseToken(fmt::format("it is not valid before {} (nbf); compare the clocks",
                                   FormatRfc3339(*claims.not_before())));
  }
  if (claims.issued_at() && *claims.issued_at() > now + skew) {
    return RefuseToken(fmt::format("it was issued in the future, at {} (iat); compare the clocks",
                                   FormatRfc3339(*claims.issued_at())));
  }
  return {};
}

Status CheckSignIn(const Claims& claims, const Expectations& expected) {
  if (expected.nonce && (!claims.nonce() || expected.nonce->empty() ||
                         !SameSecret(*claims.nonce(), *expected.nonce))) {
    return RefuseToken("it does not belong to the sign-in that was started (nonce)");
  }
  if (!expected.max_age) return {};
  if (!claims.authenticated_at()) {
    return RefuseToken("it does not say when its holder signed in (auth_time)");
  }
  if (expected.now - *claims.authenticated_at() > (*expected.max_age + expected.skew).count()) {
    return RefuseToken("its holder signed in too long ago (auth_time); sign in again");
  }
  return {};
}

Result<Claims> JudgeClaims(std::string_view payload, const Expectations& expected) {
  auto claims = Claims::Parse(payload);
  if (!claims) return RefuseToken(std::move(claims).error());
  RETURN_IF_ERROR(CheckParties(*claims, expected));
  RETURN_IF_ERROR(CheckTimes(*claims, expected));
  RETURN_IF_ERROR(CheckSignIn(*claims, expected));
  return claims;
}

JwtOutcome Refused(Error error) {
  return {JwtVerdict::kRefused, std::unexpected(std::move(error))};
}

}  // namespace

Status CheckUnverified(std::string_view token, const Expectations& expected) {
  ASSIGN_OR_RETURN(const TokenParts parts, TakeApart(token));
  ASSIGN_OR_RETURN(const wire::JoseHeader header, ReadHeader(parts.header));
  RETURN_IF_ERROR(AlgorithmOf(header, expected));
  RETURN_IF_ERROR(JudgeClaims(parts.payload, expected));
  return {};
}

JwtOutcome VerifyJwt(std::string_view token, const KeySet& keys, const Expectations& expected) {
  auto parts = TakeApart(token);
  if (!parts) return Refused(std::move(parts).error());
  auto header = ReadHeader(parts->header);
  if (!header) return Refused(std::move(header).error());
  auto algorithm = AlgorithmOf(*header, expected);
  if (!algorithm) return Refused(std::move(algorithm).error());
  const KeySearch search = FindSigner(*parts, *header, *algorithm, keys);
  if (search.verdict != JwtVerdict::kAccepted) return {search.verdict, RefuseToken(search.why)};
  auto claims = JudgeClaims(parts->payload, expected);
  if (!claims) return Refused(std::move(claims).error());
  return {JwtVerdict::kAccepted, std::move(claims)};
}

Result<std::string> UnverifiedIssuer(std::string_view token) {
  ASSIGN_OR_RETURN(const TokenParts parts, TakeApart(token));
  auto claims = Claims::Parse(parts.payload);
  if (!claims) return RefuseToken(std::move(claims).error());
  return claims->issuer();
}

}  // namespace koya::oidc
