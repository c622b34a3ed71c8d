#include "service/modules/semver_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/offload.h"
#include "catalog/catalog.h"
#include "catalog/change_log.h"
#include "inspect/changes.h"
#include "inspect/contents.h"
#include "service/common/reading.h"
#include "service/common/verdict_document.h"
#include "service/common/version_rules.h"
#include "service/modules/module_metadata.h"

namespace koya::service {
namespace {

// Of the changes that need the step: the first, and how many more there are.
std::string Heaviest(const inspect::Verdict& verdict) {
  const std::vector<inspect::Change>& changes = verdict.changes;
  auto weight = [](const inspect::Change& each) {
    return each.unknown ? inspect::ChangeKind::kSafe : each.kind;
  };
  auto heaviest = std::ranges::max_element(changes, {}, weight);
  if (heaviest == changes.end()) return {};
  auto same = std::ranges::count(changes, weight(*heaviest), weight);
  std::string more = same > 1 ? fmt::format(" ({} more like it)", same - 1) : "";
  return fmt::format("{}{}: {}{}", heaviest->what,
                     heaviest->place.file.empty() ? "" : " (" + heaviest->place.ToString() + ")",
                     heaviest->sentence, more);
}

std::string Refusal(const inspect::Verdict& verdict, const ModuleAddress& address,
                    const Version& from, const Version& to) {
  return fmt::format(
      "{} {} is not published: {} The most important change since {}: {} Publish it as {}, or undo "
      "the change; \"koya diff\" shows all changes once it is published, \"koya publish "
      "--dry-run\" before. An owner sets the rule with \"koya namespace set {} --semver warn\"",
      address.ToString(), to.ToString(), verdict.sentence, from.ToString(), Heaviest(verdict),
      verdict.wanted, address.ns());
}

}  // namespace

Task<std::optional<ModuleVersionRecord>> SemverCheck::VersionBefore(ModuleAddress address,
                                                                    Version version) {
  auto versions = co_await catalog_.ListVersions(std::move(address));
  if (!versions && versions.error().kind == ErrorKind::kNotFound) {
    co_return std::optional<ModuleVersionRecord>();
  }
  if (!versions) co_return Failure(std::move(versions).error());
  auto before = FindVersionBefore(*versions, version);
  if (before == versions->end()) co_return std::optional<ModuleVersionRecord>();
  co_return std::optional(std::move(*before));
}

Task<SemverRule> SemverCheck::RuleOf(std::string ns) {
  co_return co_await FindSemverRule(catalog_, std::move(ns), rule_);
}

Task<std::optional<SemverVerdict>> SemverCheck::CheckVersion(ModuleAddress address, Version version,
                                                             SharedContents contents,
                                                             SemverRule rule) {
  if (rule == SemverRule::kOff) co_return std::optional<SemverVerdict>();
  ASSIGN_OR_CO_RETURN(std::optional<ModuleVersionRecord> before,
                      co_await VersionBefore(address, version));
  if (!before) co_return std::optional<SemverVerdict>();
  Result<SharedContents> old = co_await insides_.FindContents(
      ArchiveOf(*before), Reading(pool_), {.freshness = ContentsRequest::Freshness::kNewest});
  if (!old && MayRefuse(rule) && old.error().kind == ErrorKind::kUnavailable) {
    co_return Failure(std::move(old).error());
  }
  if (!old) co_return std::optional<SemverVerdict>();
  auto compare = [&] { return Compare(**old, before->version, *contents, version); };
  inspect::Verdict verdict = co_await Offload(pool_, std::move(compare));
  SemverVerdict judgement{.rule = rule,
                          .comparison = DescribeVerdict(verdict, before->version, version),
                          .refusal = {}};
  const bool refuses = rule == SemverRule::kRefuse
                           ? !judgement.comparison.agrees
                           : rule == SemverRule::kRefuseBreaking &&
                                 verdict.agreement == inspect::Agreement::kShouldBeMajor;
  if (refuses) {
    judgement.refusal = Refusal(verdict, address, before->version, version);
  }
  co_return std::optional(std::move(judgement));
}

Failure SemverRefusal(const SemverVerdict& judgement) {
  return Fail(ErrorKind::kRefused, judgement.refusal);
}

}  // namespace koya::service
