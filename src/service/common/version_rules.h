// What the number of a new version has to fit: the rule of its namespace, the version before it,
// and the versions that are published already.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "domain/version.h"
#include "domain/version_step.h"

namespace koya {
class AuditCatalog;
class Clock;
class NamespaceCatalog;
class NumberCatalog;
struct SearchHit;
}  // namespace koya

namespace koya::service {

// The namespace's own rule, else `otherwise`. Fails: as the catalog.
Task<SemverRule> FindSemverRule(NamespaceCatalog& catalog, std::string ns, SemverRule otherwise);

// A caller who adds a version to a namespace.
struct Publishing {
  auth::Principal by;
  std::string ns;
  std::string target;       // of the audit log: "module:acme/vpc/aws@1.0.0"
  std::string break_glass;  // the reason to override the namespace's PublishRule; "": none
};
// Checks the caller's rights, and the namespace's PublishRule: where that is kCiOnly, the caller
// must have the token of a CI job (trusted publishing), or be an administrator without patterns who
// gives a reason. Returns whether the rule was overridden. Fails: kForbidden; as the catalog.
Task<bool> CheckMayPublish(NamespaceCatalog& catalog, Publishing publishing);
// Writes the override to the audit log. Call it before the version is stored.
Task<void> RecordBreakGlass(AuditCatalog& catalog, const Clock& clock, Publishing publishing);

// The origin of a version that is imported from another registry.
struct ImportOrigin {
  std::string address;                           // there: "registry.example.com/acme/vpc/aws"
  std::string digest;                            // of the bytes that were fetched there: "sha256:…"
  std::optional<UnixSeconds> published_at = {};  // as that registry states it
};
// The provenance of a version: the claims of the CI job that publishes it, with the origin of an
// import as imported_from and imported_digest. Pure.
std::string ProvenanceOf(const auth::Principal& by, const std::optional<ImportOrigin>& origin);
// The time of publication: the origin's, but never later than `now`. Pure.
UnixSeconds PublicationTime(const std::optional<ImportOrigin>& origin, UnixSeconds now);

// For a release the release before; for a prerelease the version before, whatever it is. `versions`
// have a member `version`, newest first. Returns their end if there is none.
template <typename Versions>
auto FindVersionBefore(Versions& versions, const Version& version) {
  return std::ranges::find_if(versions, [&version](const auto& each) {
    return each.version < version && (version.is_prerelease() || !each.version.is_prerelease());
  });
}

// `name` is the address and version: "acme/vpc/aws 1.2.0". All are kConflict.
Failure WithdrawnConflict(std::string_view name, std::string_view reason);
Failure OtherBuildConflict(std::string_view name, std::string_view existing_version);
// `existing` identifies the published content: a digest.
Failure OtherContentConflict(std::string_view name, std::string_view existing);

// Version before that of a search hit, and who published the hit's.
struct VersionBefore {
  // False: unknown, since the version no longer exists, or is of another registry.
  bool is_known = false;
  std::optional<Version> version;  // nullopt: there is none
  std::string publisher = {};      // of the hit's own version
};

// Finds the preceding version of each search hit in a list, with one query for all of them.
// Threads: any.
class VersionsBefore {
 public:
  // `catalog` must outlive this.
  explicit VersionsBefore(NumberCatalog& catalog) : catalog_(catalog) {}

  // Returns one result for each hit, in order: for a release the release before, for a prerelease
  // the version before, whatever it is. Fails: as the catalog.
  Task<std::vector<VersionBefore>> FindVersions(std::vector<SearchHit> hits);

 private:
  NumberCatalog& catalog_;
};

}  // namespace koya::service
