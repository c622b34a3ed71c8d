// An issuer's signed token: verifies it with the keys that the issuer publishes, and maps its
// claims to a user name, email address and groups of this registry.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/task.h"
#include "upstream/openid/issuer_client.h"

namespace koya {
struct IdentityProviderRecord;
}
namespace koya::oidc {
class Claims;
struct Expectations;
}  // namespace koya::oidc

namespace koya::service {

// Verifies a token. No keys are fetched for a token that is invalid under any key: for another
// audience, expired, or with an unsupported algorithm. Keys are fetched again when the token's key
// is not among them: issuers rotate theirs. `issuers` must outlive the call. Fails:
// kUnauthenticated, naming the broken rule; as IssuerClient.
Task<oidc::Claims> VerifyIssuerToken(upstream::IssuerClient& issuers, upstream::IssuerTrust trust,
                                     std::string token, oidc::Expectations expected);

inline constexpr std::size_t kMostClaimedGroups = 1000;  // per person; further ones are ignored

// A valid user name for a new user: made from the first of "preferred_username", "email" and "sub"
// that has letters or digits; characters that names may not contain become "-".
std::string AccountNameOf(const oidc::Claims& claims);

// The user's email address according to the provider; "": the provider gives none, marks it as
// unverified ("email_verified"), or gives one that cannot be shown.
std::string EmailOf(const oidc::Claims& claims);

// The user's groups in this registry: by the provider's mappings or, where it has none, by the same
// name.
std::vector<std::string> GroupsOf(const IdentityProviderRecord& provider,
                                  const oidc::Claims& claims);

}  // namespace koya::service
