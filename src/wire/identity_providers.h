// Documents of /api/v1/idps: OpenID Connect providers for signing in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/codec.h"
#include "wire/endpoint.h"

namespace koya::wire {

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
