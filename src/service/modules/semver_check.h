// Checks when a version is published whether its number fits the changes since the version before.
#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "domain/version_step.h"
#include "service/common/module_reading.h"
#include "wire/comparison.h"

namespace koya {
class Catalog;
class ModuleAddress;
struct ModuleVersionRecord;
class Version;
class WorkerPool;
}  // namespace koya

namespace koya::service {

class ModuleMetadata;

// Result of comparing a version that is to be published with the version before.
struct SemverVerdict {
  SemverRule rule = SemverRule::kWarn;
  wire::Comparison comparison;
  // Reason to reject the version: its gravest change, and the fix. "": accepted.
  std::string refusal;
};

class SemverCheck {
 public:
  // All arguments must outlive this. `rule`: publish.semver, for namespaces without a rule.
  SemverCheck(Catalog& catalog, ModuleMetadata& insides, WorkerPool& pool, SemverRule rule)
      : catalog_(catalog), insides_(insides), pool_(pool), rule_(rule) {}

  // The rule for version numbers in a namespace. Fails: as the catalog.
  Task<SemverRule> RuleOf(std::string ns);

  // Compares a release with the release before, a prerelease with the version before, whatever it
  // is; and applies `rule`. nullopt: there is none, its archive is lost or cannot be read (which is
  // no reason not to publish), or the rule is `off`. Fails: as the catalog; kUnavailable: the rule
  // may reject the version, and the version before cannot be read at the moment.
  Task<std::optional<SemverVerdict>> CheckVersion(ModuleAddress address, Version version,
                                                  SharedContents contents, SemverRule rule);

 private:
  Task<std::optional<ModuleVersionRecord>> VersionBefore(ModuleAddress address, Version version);

  Catalog& catalog_;
  ModuleMetadata& insides_;
  WorkerPool& pool_;
  SemverRule rule_;
};

// The error for a rejected version. REQUIRES: `judgement` has a refusal.
Failure SemverRefusal(const SemverVerdict& judgement);

}  // namespace koya::service
