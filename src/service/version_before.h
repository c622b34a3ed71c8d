// What a version's number is judged by: the rule of its namespace, and the version before it.
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

// Of a release the release before, of a prerelease whatever comes before. `versions` have a member
// `version` and are the newest first; their end when there is none.
template <typename Versions>
auto FindVersionBefore(Versions& versions, const Version& version) {
  return std::ranges::find_if(versions, [&version](const auto& each) {
    return each.version < version && (version.is_prerelease() || !each.version.is_prerelease());
  });
}

}  // namespace koya::service
