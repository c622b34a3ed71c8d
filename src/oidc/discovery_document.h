// Parses an issuer's ISSUER/.well-known/openid-configuration (OpenID Connect Discovery §3, §4).
// Pure functions: the caller that fetches it, and follows its URLs, enforces the rules for private
// addresses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "oidc/algorithm.h"

namespace koya::oidc {

inline constexpr std::size_t kMaxDiscoveryBytes = 256 << 10;

struct DiscoveryDocument {
  std::string issuer;  // the requested issuer
  std::string jwks_uri;
  // "" for issuers without sign-in, such as those of CI.
  std::string authorization_endpoint;
  std::string token_endpoint;
  // The supported ones of its signing algorithms. Empty: not stated.
  std::vector<Algorithm> algorithms;
  std::vector<std::string> code_challenge_methods;  // empty: not stated
  std::vector<std::string> token_auth_methods;      // empty: not stated
  std::vector<std::string> scopes;                  // empty: not stated
  // It names itself in the parameter "iss" of the redirect back (RFC 9207).
  bool names_itself = false;
};

// Checks an issuer as configured: an https URL, or http to this machine, without user, query and
// fragment. Issuers are compared exactly, including a trailing slash. Fails: kInvalid.
Status CheckIssuer(std::string_view issuer);

// The URL of the document. REQUIRES: CheckIssuer(issuer).
std::string DiscoveryUrl(std::string_view issuer);

// `issuer`: the requested one, which the document must name. Its URLs must be https; http to this
// machine is accepted from an issuer on this machine. Fails: kInvalid.
Result<DiscoveryDocument> ParseDiscoveryDocument(std::string_view issuer, std::string_view body);

// Checks that people can sign in: there must be endpoints for it, and PKCE with S256 unless the
// document does not state its methods. Fails: kInvalid, naming the missing part.
Status CheckOffersSignIn(const DiscoveryDocument& document);

}  // namespace koya::oidc
