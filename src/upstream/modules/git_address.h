// Parses the spellings of a git repository's location: git::https://…, git::ssh://…, git@host:path,
// and the short ones of well-known hosts. Pure functions: any thread. Failures as in
// location_text.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "upstream/modules/location_text.h"
#include "upstream/package_location.h"

namespace koya::upstream {

// Expands "github.com/acme/vpc/sub" (without "git::") to the https address, with its folders
// joined; "git@host:path" to ssh. nullopt if `address` is neither. Fails for a short one that names
// no repository.
Result<std::optional<AddressText>> ExpandGitShorthand(const AddressText& address);

// `address.place` is the text after "git::", or an https URL that ends in ".git".
Result<GitLocation> ParseGitAddress(const AddressText& address);

}  // namespace koya::upstream
