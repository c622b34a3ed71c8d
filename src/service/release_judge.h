// Does a release's number say what changed since the release before? Asked at the commit. The
// answer is for its author: a release of a provider is never refused for its number.
#pragma once

#include <optional>

#include "domain/provider_docs_record.h"
#include "domain/semver_rule.h"
#include "service/version_judge.h"

namespace koya::service {

struct NewRelease;
class ProviderComparison;

struct ReleaseJudgement {
  // `rule` is `warn` here, whatever the namespace has. Nothing: there is no release before, or the
  // rule is `off`.
  std::optional<Judgement> judgement;
  std::optional<ReadWarning> not_compared;  // why not, for the author
};

class ReleaseJudge {
 public:
  // All of it must outlive this. `rule`: publish.semver, of namespaces that have none of their own.
  ReleaseJudge(Catalog& catalog, ProviderComparison& comparison, SemverRule rule)
      : catalog_(catalog), comparison_(comparison), rule_(rule) {}

  // Compares with the release before: of a prerelease whatever comes before.
  Awaitable<ReleaseJudgement> Judge(NewRelease release);

 private:
  Task<std::optional<Judgement>> Compare(NewRelease release);

  Catalog& catalog_;
  ProviderComparison& comparison_;
  SemverRule rule_;
};

}  // namespace koya::service
