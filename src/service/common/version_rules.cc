#include "service/common/version_rules.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "catalog/access_catalog.h"
#include "catalog/audit_catalog.h"
#include "catalog/number_catalog.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/module_address.h"
#include "domain/namespace_record.h"
#include "domain/provider_address.h"
#include "domain/search_record.h"
#include "wire/identity.h"

namespace koya::service {

Task<SemverRule> FindSemverRule(NamespaceCatalog& catalog, std::string ns, SemverRule otherwise) {
  Result<NamespaceRecord> record = co_await catalog.FindNamespace(std::move(ns));
  if (record) co_return record->semver.value_or(otherwise);
  if (record.error().kind == ErrorKind::kNotFound) co_return otherwise;  // it is about to be made
  co_return Failure(std::move(record).error());
}

Task<bool> CheckMayPublish(NamespaceCatalog& catalog, Publishing publishing) {
  const auth::Principal& by = publishing.by;
  CO_RETURN_IF_ERROR(by.Require(Scope::kPublish));
  CO_RETURN_IF_ERROR(by.RequireNamespace(publishing.ns, Role::kPublisher));
  if (!by.provenance.empty()) co_return false;  // of a CI job
  Result<NamespaceRecord> record = co_await catalog.FindNamespace(publishing.ns);
  if (!record && record.error().kind == ErrorKind::kNotFound) co_return false;
  if (!record) co_return Failure(std::move(record).error());
  if (record->publish == PublishRule::kAny) co_return false;
  if (publishing.break_glass.empty()) {
    co_return FailForbidden(
        "the namespace {} takes versions from CI only, and this token is not that of a CI job: "
        "publish from a pipeline that the namespace trusts (\"koya trust list {}\" shows them); "
        "in an emergency an administrator can use --break-glass with a reason",
        record->name, record->name);
  }
  if (!by.Require(Scope::kAdmin) || !by.RequireAllNamespaces()) {
    co_return FailForbidden(
        "the namespace {} takes versions from CI only: --break-glass is for administrators whose "
        "token has no namespace patterns",
        record->name);
  }
  co_return true;
}

Task<void> RecordBreakGlass(AuditCatalog& catalog, const Clock& clock, Publishing publishing) {
  AuditFacts facts;
  facts.Add("reason", publishing.break_glass);
  AuditEntry entry{.at = clock.Now(),
                   .by = std::move(publishing.by.actor),
                   .action = "namespace.break_glass",
                   .target = std::move(publishing.target),
                   .ns = NamespaceKey(publishing.ns),
                   .after = facts.ToJson()};
  std::vector<AuditEntry> entries;
  entries.push_back(std::move(entry));
  co_return co_await catalog.AppendAudit(std::move(entries));
}

std::string ProvenanceOf(const auth::Principal& by, const std::optional<ImportOrigin>& origin) {
  if (!origin) return by.provenance;
  wire::Provenance claims = wire::DecodeProvenance(by.provenance).value_or(wire::Provenance());
  claims["imported_from"] = origin->address;
  claims["imported_digest"] = origin->digest;
  return wire::EncodeProvenance(claims);
}

UnixSeconds PublicationTime(const std::optional<ImportOrigin>& origin, UnixSeconds now) {
  return origin ? std::min(origin->published_at.value_or(now), now) : now;
}

Failure WithdrawnConflict(std::string_view name, std::string_view reason) {
  return FailConflict(
      "{} was withdrawn ({}): a withdrawn version is never reused; publish a "
      "higher one",
      name, reason);
}

Failure OtherBuildConflict(std::string_view name, std::string_view existing_version) {
  return FailConflict(
      "{} cannot be published beside {}: they differ only in build metadata "
      "(after \"+\"), which clients ignore; publish a higher version",
      name, existing_version);
}

Failure OtherContentConflict(std::string_view name, std::string_view existing) {
  return FailConflict(
      "{} is already published with other content ({}): a version never "
      "changes; publish a higher one",
      name, existing);
}

namespace {

struct Numbered {
  Version version;
  std::string publisher;
};
// By SearchSubject::key, newest first.
using NumbersOf = std::map<std::string, std::vector<Numbered>>;

struct AskedNumbers {
  std::vector<std::optional<SearchSubject>> subjects;  // of each hit; none: of another registry
  std::vector<ModuleAddress> modules;
  std::vector<ProviderAddress> providers;
};

// Records a hit that was published here; others are not queried.
std::optional<SearchSubject> NoteSubject(const SearchHit& hit, AskedNumbers& asked) {
  Result<Version> version = Version::Parse(hit.version);
  if (!hit.host.empty() || !version) return std::nullopt;
  if (hit.subject_kind == SearchKind::kModule) {
    Result<ModuleAddress> module = ModuleAddress::Parse(hit.address);
    if (!module) return std::nullopt;
    asked.modules.push_back(*module);
    return SearchSubject::Of(*module, *std::move(version));
  }
  Result<ProviderAddress> provider = ProviderAddress::Parse(hit.address);
  if (!provider) return std::nullopt;
  asked.providers.push_back(*provider);
  return SearchSubject::Of(*provider, *std::move(version));
}

NumbersOf BySubject(std::vector<PublishedNumber> numbers) {
  NumbersOf by_subject;
  for (PublishedNumber& each : numbers) {
    by_subject[std::move(each.subject)].push_back(
        {std::move(each.version), std::move(each.publisher)});
  }
  for (auto& [subject, versions] : by_subject) {
    std::ranges::sort(versions, std::ranges::greater(), &Numbered::version);
  }
  return by_subject;
}

VersionBefore BeforeOf(const NumbersOf& numbers, const SearchSubject& subject) {
  auto found = numbers.find(subject.key);
  if (found == numbers.end()) return {};
  const std::vector<Numbered>& versions = found->second;
  auto own = std::ranges::find(versions, subject.version, &Numbered::version);
  if (own == versions.end()) return {};
  auto before = FindVersionBefore(versions, subject.version);
  VersionBefore told{.is_known = true, .version = std::nullopt, .publisher = own->publisher};
  if (before != versions.end()) told.version = before->version;
  return told;
}

}  // namespace

Task<std::vector<VersionBefore>> VersionsBefore::FindVersions(std::vector<SearchHit> hits) {
  AskedNumbers asked;
  for (const SearchHit& hit : hits) asked.subjects.push_back(NoteSubject(hit, asked));
  std::vector<VersionBefore> before(hits.size());
  if (asked.modules.empty() && asked.providers.empty()) co_return before;
  ASSIGN_OR_CO_RETURN(
      std::vector<PublishedNumber> listed,
      co_await catalog_.ListNumbers(std::move(asked.modules), std::move(asked.providers)));
  const NumbersOf numbers = BySubject(std::move(listed));
  for (std::size_t i = 0; i < asked.subjects.size(); ++i) {
    if (asked.subjects[i]) before[i] = BeforeOf(numbers, *asked.subjects[i]);
  }
  co_return before;
}

}  // namespace koya::service
