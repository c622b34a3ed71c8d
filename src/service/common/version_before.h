// Finds the inputs for the check of a version's number: the rule of its namespace, and the version
// before it.
#pragma once

#include <algorithm>
#include <string>

#include "base/task.h"
#include "domain/semver_rule.h"
#include "domain/version.h"

namespace koya {
class NamespaceCatalog;
}

namespace koya::service {

// The namespace's own rule, else `otherwise`. Fails: as the catalog.
Task<SemverRule> FindSemverRule(NamespaceCatalog& catalog, std::string ns, SemverRule otherwise);

// For a release the release before; for a prerelease the version before, whatever it is. `versions`
// have a member `version`, newest first. Returns their end if there is none.
template <typename Versions>
auto FindVersionBefore(Versions& versions, const Version& version) {
  return std::ranges::find_if(versions, [&version](const auto& each) {
    return each.version < version && (version.is_prerelease() || !each.version.is_prerelease());
  });
}

}  // namespace koya::service
