// Signing in with an authorization code (OpenID Connect Core §3.1, RFC 7636, RFC 9207): where a
// browser is sent, and what is asked of the token endpoint when it comes back. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "oidc/discovery_document.h"

namespace koya::oidc {

// This server, as the issuer knows it.
struct ClientAtIssuer {
  std::string id;
  std::string secret;        // "": a public client
  std::string redirect_uri;  // letter by letter as it is registered there
};

// What belongs to one sign-in: unguessable, and known to the browser alone that began it.
struct SignInSecrets {
  std::string state;
  std::string nonce;
  std::string verifier;  // 43 to 128 characters of RFC 3986's unreserved ones
};

// `extra_scope` is asked for beside "openid profile email" if the issuer knows it; "": none.
// REQUIRES: CheckOffersSignIn(document).
std::string AuthorizationUrl(const DiscoveryDocument& document, const ClientAtIssuer& client,
                             const SignInSecrets& secrets, std::string_view extra_scope);

// A request to the token endpoint.
struct TokenRequest {
  std::string form;
  std::string authorization;  // "": none
};

// Authenticates the client by HTTP Basic, or in the form, as the issuer takes it. Fails:
// kBadUpstream: it takes neither.
Result<TokenRequest> MakeTokenRequest(const DiscoveryDocument& document,
                                      const ClientAtIssuer& client, std::string_view code,
                                      std::string_view verifier);

// Whether the parameter "iss" of the way back, as sent, is this issuer's: so that the answer of one
// issuer is not taken for another's. Fails: kUnauthenticated.
Status CheckAnsweringIssuer(const DiscoveryDocument& document, std::string_view iss);

// The challenge of a verifier, by the method S256.
std::string CodeChallenge(std::string_view verifier);

}  // namespace koya::oidc
