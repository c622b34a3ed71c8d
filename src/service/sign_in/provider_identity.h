// Who somebody is here, by what a sign-in provider says of them. Pure functions.
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

inline constexpr std::size_t kMostClaimedGroups = 1000;  // of one person; those beyond do not count

// A name that a user can have, for somebody who is new: of "preferred_username", "email" or "sub",
// the first that has letters or digits; what names may not hold is "-".
std::string AccountNameOf(const oidc::Claims& claims);

// The address that they have by the provider's word; "": it says none, says that it is not sure
// ("email_verified"), or what it says is no address that could be shown.
std::string EmailOf(const oidc::Claims& claims);

// Their groups, of ours: by the provider's mappings or, where it has none, by the same name.
std::vector<std::string> GroupsOf(const IdentityProviderRecord& provider,
                                  const oidc::Claims& claims);

}  // namespace koya::service
