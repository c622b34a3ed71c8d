// What an issuer says about itself at ISSUER/.well-known/openid-configuration (OpenID Connect
// Discovery §3, §4). Pure functions: whoever fetches it, and follows its URLs, keeps to the rules
// for private addresses.
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
  std::string issuer;  // the one that was asked
  std::string jwks_uri;
  // "" for issuers that nobody signs in with, as those of CI are.
  std::string authorization_endpoint;
  std::string token_endpoint;
  // Those of ours that it signs tokens with. Empty: it does not say.
  std::vector<Algorithm> algorithms;
  std::vector<std::string> code_challenge_methods;  // empty: it does not say
  std::vector<std::string> token_auth_methods;      // empty: it does not say
  std::vector<std::string> scopes;                  // empty: it does not say
  // It names itself in the parameter "iss" when it sends people back (RFC 9207).
  bool names_itself = false;
};

// An issuer as people name it: an https URL, or http to this machine, without user, query and
// fragment. It is compared letter by letter, a slash at its end included. Fails: kInvalid.
Status CheckIssuer(std::string_view issuer);

// Where the document is. REQUIRES: CheckIssuer(issuer).
std::string DiscoveryUrl(std::string_view issuer);

// `issuer`: the one that was asked, which the document must name. Its URLs must be https; http to
// this machine is taken from an issuer that is there itself. Fails: kInvalid.
Result<DiscoveryDocument> ParseDiscoveryDocument(std::string_view issuer, std::string_view body);

// For people to sign in, there must be endpoints for it, and PKCE with S256 unless nothing is said
// about it. Fails: kInvalid, naming what is missing.
Status CheckOffersSignIn(const DiscoveryDocument& document);

}  // namespace koya::oidc
