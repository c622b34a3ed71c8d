// Maps a sign-in provider's claims to a user name, email address and groups of this registry. Pure
// functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace koya {
struct IdentityProviderRecord;
}
namespace koya::oidc {
class Claims;
}

namespace koya::service {

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
