// Checks at the commit of a release whether its number fits the changes since the release before.
// The result is only a hint for the author: a provider release is never rejected for its number.
#pragma once

#include <optional>

#include "domain/provider_docs_record.h"
#include "domain/version_step.h"
#include "service/modules/semver_check.h"

namespace koya::service {

struct NewRelease;
class ProviderComparison;

struct ReleaseSemverVerdict {
  // `rule` is `warn`, whatever the namespace has. nullopt: there is no release before, or the
  // namespace's rule is `off`.
  std::optional<SemverVerdict> judgement;
  std::optional<ReadWarning> not_compared;  // reason for a missing comparison, for the author
};

class ReleaseSemverCheck {
 public:
  // All arguments must outlive this. `rule`: publish.semver, for namespaces without a rule.
  ReleaseSemverCheck(Catalog& catalog, ProviderComparison& comparison, SemverRule rule)
      : catalog_(catalog), comparison_(comparison), rule_(rule) {}

  // Compares with the release before; a prerelease with the version before, whatever it is.
  Awaitable<ReleaseSemverVerdict> CheckRelease(NewRelease release);

 private:
  Task<std::optional<SemverVerdict>> Compare(NewRelease release);

  Catalog& catalog_;
  ProviderComparison& comparison_;
  SemverRule rule_;
};

}  // namespace koya::service
