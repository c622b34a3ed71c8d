#include "service/release_judge.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "inspect/changes.h"
#include "service/provider_comparison.h"
#include "service/version_before.h"

namespace koya::service {

Task<std::optional<Judgement>> ReleaseJudge::Compare(NewRelease release) {
  const ProviderAddress address = release.release.address;
  ASSIGN_OR_CO_RETURN(SemverRule rule, co_await FindSemverRule(catalog_, address.ns(), rule_));
  if (rule == SemverRule::kOff) co_return std::optional<Judgement>();
  Result<std::vector<ReleaseSummary>> releases = co_await catalog_.ListReleases(address);
  if (!releases && releases.error().kind == ErrorKind::kNotFound) {
    co_return std::optional<Judgement>();
  }
  if (!releases) co_return Failure(std::move(releases).error());
  auto before = FindVersionBefore(*releases, release.release.version);
  if (before == releases->end()) co_return std::optional<Judgement>();
  ASSIGN_OR_CO_RETURN(SharedComparison comparison,
                      co_await comparison_.CompareNew(address, before->version, release));
  co_return std::optional(
      Judgement{.rule = SemverRule::kWarn, .comparison = *comparison, .refusal = {}});
}

Awaitable<ReleaseJudgement> ReleaseJudge::Judge(NewRelease release) {
  Result<std::optional<Judgement>> compared = co_await Compare(release);
  if (compared) co_return ReleaseJudgement{.judgement = *std::move(compared), .not_compared = {}};
  co_return ReleaseJudgement{
      .judgement = {},
      .not_compared =
          ReadWarning{.file = {},
                      .line = 0,
                      .text = fmt::format("it was not compared with the release before: {}",
                                          compared.error().message)}};
}

}  // namespace koya::service
