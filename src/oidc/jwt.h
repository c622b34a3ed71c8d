// Signed JSON Web Tokens (RFC 7519, in the compact form of RFC 7515), judged as RFC 8725 and OpenID
// Connect Core §3.1.3.7 say. Pure functions: any thread, no network; keys that a token itself names
// or brings along (jku, jwk, x5u, x5c) are never looked at.
//
// Nothing in a token is believed, or told to anybody, before its signature holds. Messages never
// hold the token or a part of it as it was sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "oidc/algorithm.h"
#include "oidc/claims.h"
#include "oidc/jwks.h"

namespace koya::oidc {

inline constexpr std::size_t kMaxTokenBytes = 16 << 10;

struct Expectations {
  std::string issuer;                      // exactly; not empty
  std::string audience;                    // the client's id, or this server's URL; not empty
  std::vector<Algorithm> algorithms = {};  // empty: all that are taken
  UnixSeconds now = 0;
  std::chrono::seconds skew{60};  // by which the issuer's clock may be ahead or behind
  // That of the sign-in that was begun. Given, but empty: nothing is equal to it.
  std::optional<std::string> nonce = std::nullopt;
  // Since people last showed who they are; the token must say when.
  std::optional<std::chrono::seconds> max_age = std::nullopt;
};

enum class JwtVerdict {
  kAccepted,
  // No key of the set has the token's kid; or it has none, and no key's signature is under it. The
  // issuer may have new keys: whoever has not fetched them for a while may do so and ask again.
  kUnknownKey,
  kRefused,  // for good
};

struct JwtOutcome {
  JwtVerdict verdict;
  // Fails, unless accepted: kUnauthenticated, saying which rule was broken.
  Result<Claims> claims;
};

// What can be judged without keys: its form, its algorithm, and its claims, none of which is to be
// believed for that. To be called before keys are fetched: a token that fails here is refused
// whatever the keys are. Fails: kUnauthenticated, saying which rule was broken.
Status CheckUnverified(std::string_view token, const Expectations& expected);

JwtOutcome VerifyJwt(std::string_view token, const KeySet& keys, const Expectations& expected);

// The issuer that the token says it has, before anything is verified: to choose, among issuers that
// are trusted already, the one whose keys it is verified with. Fails: kUnauthenticated.
Result<std::string> UnverifiedIssuer(std::string_view token);

}  // namespace koya::oidc
