// Documents of identities that others attest: of trusted publishing (the CI identities that may
// publish, the tokens they get, and the claims stored with a release), and of providers for signing
// in.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"
#include "wire/tokens.h"

namespace koya::wire {

// POST /api/v1/namespaces/:namespace/trust. At least one of claims, github and gitlab is required.
struct TrustRequest {
  std::string issuer = {};               // "": the preset's
  std::vector<std::string> claims = {};  // "NAME=PATTERN"
  std::string github = {};               // "OWNER/REPO"
  std::string gitlab = {};               // "GROUP/PROJECT"
  std::string ref = {};                  // of a preset
  std::string environment = {};          // of a preset
  bool unprotected = false;              // of gitlab, with a ref: the ref need not be protected
  bool own_issuer = false;               // the issuer signs only for jobs of one organisation
  friend bool operator==(const TrustRequest&, const TrustRequest&) = default;
};

struct Trust {
  std::string id;
  std::string ns;
  std::string issuer;
  std::vector<std::string> claims;  // "NAME=PATTERN"
  std::string created;              // RFC 3339
  std::string created_by;
  bool any_ref = false;  // trusts jobs on any branch and tag, in any environment
  friend bool operator==(const Trust&, const Trust&) = default;
};
using TrustList = ListOf<Trust, "trust", "the list of trust rules">;

// POST /api/v1/oidc/exchange.
struct TokenExchange {
  std::string token;  // the CI's token
  std::string ns;
  friend bool operator==(const TokenExchange&, const TokenExchange&) = default;
};

struct ExchangedToken {
  std::string token;
  std::string expires;  // RFC 3339
  std::string ns;
  friend bool operator==(const ExchangedToken&, const ExchangedToken&) = default;
};

// GitHub Actions' response to a job's request for its token: {"value": "…"}.
Result<std::string> DecodeCiToken(std::string_view body);

// The CI's claims about the job that published, by name.
using Provenance = std::map<std::string, std::string>;
std::string EncodeProvenance(const Provenance& provenance);
// "" has no claims. Fails: kInvalid.
Result<Provenance> DecodeProvenance(std::string_view text);

// True if a CI job published the version: it has claims besides the origin of an import.
bool HasClaims(std::string_view provenance);

// ---- endpoints

inline constexpr Endpoint<TrustRequest, Trust, 1> kAddTrust{"POST",
                                                            "/api/v1/namespaces/{namespace}/trust"};
inline constexpr Endpoint<void, TrustList, 1> kListTrust{"GET",
                                                         "/api/v1/namespaces/{namespace}/trust"};
inline constexpr Endpoint<void, void, 2> kRemoveTrust{"DELETE",
                                                      "/api/v1/namespaces/{namespace}/trust/{id}"};
inline constexpr Endpoint<void, TokenList, 1> kListJobTokens{
    "GET", "/api/v1/namespaces/{namespace}/trust/tokens"};
inline constexpr Endpoint<void, void, 2> kEndJobToken{
    "DELETE", "/api/v1/namespaces/{namespace}/trust/tokens/{name}"};
inline constexpr Endpoint<TokenExchange, ExchangedToken> kExchangeToken{"POST",
                                                                        "/api/v1/oidc/exchange"};

// ---- /api/v1/idps: OpenID Connect providers for signing in

struct MappedGroup {
  std::string theirs;
  std::string ours;
  friend bool operator==(const MappedGroup&, const MappedGroup&) = default;
};

// A provider, in requests and in responses.
struct IdentityProvider {
  std::string name;
  std::string issuer;
  std::string client_id;
  std::string client_secret = {};  // only in requests
  std::string groups_claim = {};
  std::vector<MappedGroup> groups = {};
  std::string callback = {};    // the redirect URL to register there; from here on: in responses
  std::string created = {};     // RFC 3339
  std::string created_by = {};  // a principal's name
  bool enabled = false;         // users can sign in with it
  friend bool operator==(const IdentityProvider&, const IdentityProvider&) = default;
};
using IdentityProviderList = ListOf<IdentityProvider, "idps", "the list of sign-in providers">;

// One result of checking a provider.
struct IdentityProviderFinding {
  bool good = false;
  std::string text;
  friend bool operator==(const IdentityProviderFinding&, const IdentityProviderFinding&) = default;
};
struct IdentityProviderReport {
  std::string name;
  bool ok = false;  // every finding is good
  std::vector<IdentityProviderFinding> findings;
  bool enabled = false;  // after the test, which enables a good one
  friend bool operator==(const IdentityProviderReport&, const IdentityProviderReport&) = default;
};

// ---- endpoints

inline constexpr Endpoint<IdentityProvider, IdentityProvider> kAddIdentityProvider{"POST",
                                                                                   "/api/v1/idps"};
inline constexpr Endpoint<void, IdentityProviderList> kListIdentityProviders{"GET", "/api/v1/idps"};
inline constexpr Endpoint<void, void, 1> kRemoveIdentityProvider{"DELETE", "/api/v1/idps/{name}"};
inline constexpr Endpoint<void, IdentityProvider, 1> kDisableIdentityProvider{
    "POST", "/api/v1/idps/{name}/disable"};
inline constexpr Endpoint<void, IdentityProviderReport, 1> kTestIdentityProvider{
    "POST", "/api/v1/idps/{name}/test"};

}  // namespace koya::wire
