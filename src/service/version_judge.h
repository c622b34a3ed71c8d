// Does a version's number say what changed since the version before? Asked when it is published.
#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "domain/semver_rule.h"
#include "service/module_reading.h"
#include "wire/comparison.h"

namespace koya {
class Catalog;
class ModuleAddress;
struct ModuleVersionRecord;
class Version;
class WorkerPool;
}  // namespace koya

namespace koya::service {

class ModuleInsides;

// What a version that is to be published was compared with, and what that means for it.
struct Judgement {
  SemverRule rule = SemverRule::kWarn;
  wire::Comparison comparison;
  // Why it is not published: what weighs most, and how to mend it. "": it may be.
  std::string refusal;
};

class VersionJudge {
 public:
  // All of it must outlive this. `rule`: publish.semver, of namespaces that have none of their own.
  VersionJudge(Catalog& catalog, ModuleInsides& insides, WorkerPool& pool, SemverRule rule)
      : catalog_(catalog), insides_(insides), pool_(pool), rule_(rule) {}

  // What numbers of versions of a namespace are judged by. Fails: as the catalog.
  Task<SemverRule> RuleOf(std::string ns);

  // Compares with the version before, by the `rule`: of a release the release before, of a
  // prerelease whatever comes before. Nothing when there is none, when its archive is lost or
  // cannot be read (which is no reason not to publish), or when the rule is `off`. Fails: as the
  // catalog; kUnavailable: the rule may refuse, and the version before cannot be read now.
  Task<std::optional<Judgement>> Judge(ModuleAddress address, Version version,
                                       SharedContents contents, SemverRule rule);

 private:
  Task<std::optional<ModuleVersionRecord>> VersionBefore(ModuleAddress address, Version version);

  Catalog& catalog_;
  ModuleInsides& insides_;
  WorkerPool& pool_;
  SemverRule rule_;
};

// The failure that `judgement` stands for. REQUIRES: it refuses.
Failure SemverRefusal(const Judgement& judgement);

}  // namespace koya::service
