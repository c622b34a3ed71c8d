// Verifies signed JSON Web Tokens (RFC 7519, in the compact form of RFC 7515) according to RFC 8725
// and OpenID Connect Core §3.1.3.7. Pure functions: any thread, no network; keys that a token
// itself names or contains (jku, jwk, x5u, x5c) are never used.
//
// No content of a token is trusted or disclosed before its signature is verified. Messages never
// contain the token or a part of it as it was sent.
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
  std::vector<Algorithm> algorithms = {};  // empty: all accepted ones
  UnixSeconds now = 0;
  std::chrono::seconds skew{60};  // tolerance for the issuer's clock, in both directions
  // The nonce of the sign-in. Given, but empty: no token matches.
  std::optional<std::string> nonce = std::nullopt;
  // The maximal time since the user's last authentication, which the token must state.
  std::optional<std::chrono::seconds> max_age = std::nullopt;
};

enum class JwtVerdict {
  kAccepted,
  // No key of the set has the token's kid; or it has none, and no key verifies its signature. The
  // issuer may have new keys: a caller whose keys are not fresh may fetch them and try again.
  kUnknownKey,
  kRefused,  // permanent
};

struct JwtOutcome {
  JwtVerdict verdict;
  // Fails, unless accepted: kUnauthenticated, naming the broken rule.
  Result<Claims> claims;
};

// Checks that need no keys: the token's form, its algorithm, and its claims, which stay untrusted.
// Call it before keys are fetched: a token that fails here is rejected regardless of the keys.
// Fails: kUnauthenticated, naming the broken rule.
Status CheckUnverified(std::string_view token, const Expectations& expected);

JwtOutcome VerifyJwt(std::string_view token, const KeySet& keys, const Expectations& expected);

// The issuer that the unverified token states: only for choosing, among trusted issuers, the one
// whose keys verify it. Fails: kUnauthenticated.
Result<std::string> UnverifiedIssuer(std::string_view token);

}  // namespace koya::oidc
