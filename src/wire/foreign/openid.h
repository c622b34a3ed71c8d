// Reads documents of OpenID Connect and JSON Web Tokens (RFC 7515, 7517 and 7519; OpenID Connect
// Core and Discovery) as providers write them. Checks their shape only: oidc/ checks their content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// Absent members are "". Numbers are base64url, as written.
struct JsonWebKey {
  std::string kty;
  std::string kid;
  std::string use;
  std::vector<std::string> key_ops;
  std::string alg;
  std::string crv;
  std::string n;
  std::string e;
  std::string x;
  std::string y;
  std::string d;  // the secret half, which must never be published
};

struct JsonWebKeys {
  std::vector<JsonWebKey> keys;
  std::size_t skipped = 0;  // elements of a different shape
};

// Fails: kInvalid when `body` is not an object with an array "keys".
Result<JsonWebKeys> DecodeJsonWebKeys(std::string_view body);

struct JoseHeader {
  std::string alg;
  std::string kid;
  std::string typ;
  std::string cty;
  bool critical = false;  // a member "crit" is present, with any value
};

// Fails: kInvalid, also for duplicate names, or when "alg" is missing.
Result<JoseHeader> DecodeJoseHeader(std::string_view body);

// std::monostate: null, an object, or a list with elements other than text.
using ClaimValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;
using ClaimValues = std::map<std::string, ClaimValue, std::less<>>;

// Fails: kInvalid, also for duplicate names, at any depth.
Result<ClaimValues> DecodeClaims(std::string_view body);

struct OpenIdConfiguration {
  std::string issuer;
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string jwks_uri;
  std::vector<std::string> signing_algorithms;      // id_token_signing_alg_values_supported
  std::vector<std::string> code_challenge_methods;  // code_challenge_methods_supported
  std::vector<std::string> token_auth_methods;      // token_endpoint_auth_methods_supported
  std::vector<std::string> scopes;                  // scopes_supported
  bool names_issuer = false;  // authorization_response_iss_parameter_supported (RFC 9207)
};

// The response of a token endpoint (RFC 6749 §5, OpenID Connect Core §3.1.3.3): a token or an
// error; a malformed one may have neither, or both.
struct TokenEndpointAnswer {
  std::string id_token;
  std::string error;
  std::string error_description;
};

}  // namespace koya::wire
