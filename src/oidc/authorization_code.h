// Signing in with an authorization code (OpenID Connect Core §3.1, RFC 7636, RFC 9207): the URL to
// which the browser is sent, and the request to the token endpoint when it comes back. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "oidc/discovery_document.h"

namespace koya::oidc {

// This server's registration at the issuer.
struct ClientAtIssuer {
  std::string id;
  std::string secret;        // "": a public client
  std::string redirect_uri;  // exactly as registered there
};

// The secrets of one sign-in: unguessable, and known only to the browser that began it.
struct SignInSecrets {
  std::string state;
  std::string nonce;
  std::string verifier;  // 43 to 128 characters of RFC 3986's unreserved ones
};

// `extra_scope` is requested besides "openid profile email" if the issuer knows it; "": none.
// REQUIRES: CheckOffersSignIn(document).
std::string AuthorizationUrl(const DiscoveryDocument& document, const ClientAtIssuer& client,
                             const SignInSecrets& secrets, std::string_view extra_scope);

// A request to the token endpoint.
struct TokenRequest {
  std::string form;
  std::string authorization;  // "": none
};

// Authenticates the client by HTTP Basic, or in the form, whichever the issuer accepts. Fails:
// kBadUpstream: it accepts neither.
Result<TokenRequest> MakeTokenRequest(const DiscoveryDocument& document,
                                      const ClientAtIssuer& client, std::string_view code,
                                      std::string_view verifier);

// Checks that the parameter "iss" of the redirect back, as sent, is this issuer, so that one
// issuer's response is not taken for another's. Fails: kUnauthenticated.
Status CheckAnsweringIssuer(const DiscoveryDocument& document, std::string_view iss);

// The S256 challenge of a verifier.
std::string CodeChallenge(std::string_view verifier);

}  // namespace koya::oidc
