#include "service/providers/release_semver_check.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "inspect/changes.h"
#include "service/common/version_rules.h"
#include "service/providers/provider_comparison.h"

namespace koya::service {

Task<std::optional<SemverVerdict>> ReleaseSemverCheck::Compare(NewRelease release) {
  const ProviderAddress address = release.release.address;
  ASSIGN_OR_CO_RETURN(SemverRule rule, co_await FindSemverRule(catalog_, address.ns(), rule_));
  if (rule == SemverRule::kOff) co_return std::optional<SemverVerdict>();
  Result<std::vector<ReleaseSummary>> releases = co_await catalog_.ListReleases(address);
  if (!releases && releases.error().kind == ErrorKind::kNotFound) {
    co_return std::optional<SemverVerdict>();
  }
  if (!releases) co_return Failure(std::move(releases).error());
  auto before = FindVersionBefore(*releases, release.release.version);
  if (before == releases->end()) co_return std::optional<SemverVerdict>();
  ASSIGN_OR_CO_RETURN(SharedComparison comparison,
                      co_await comparison_.CompareNew(address, before->version, release));
  co_return std::optional(
      SemverVerdict{.rule = SemverRule::kWarn, .comparison = *comparison, .refusal = {}});
}

Awaitable<ReleaseSemverVerdict> ReleaseSemverCheck::CheckRelease(NewRelease release) {
  Result<std::optional<SemverVerdict>> compared = co_await Compare(release);
  if (compared)
    co_return ReleaseSemverVerdict{.judgement = *std::move(compared), .not_compared = {}};
  co_return ReleaseSemverVerdict{
      .judgement = {},
      .not_compared =
          ReadWarning{.file = {},
                      .line = 0,
                      .text = fmt::format("it was not compared with the previous release: {}",
                                          compared.error().message)}};
}

}  // namespace koya::service
