#include "service/versions_before.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "service/version_before.h"

namespace koya::service {
namespace {

struct Numbered {
  Version version;
};
// By SearchSubject::key, newest first.
using NumbersOf = std::map<std::string, std::vector<Numbered>>;

// Of what is published here; nullopt: it is of another registry.
std::optional<SearchSubject> SubjectOf(const SearchHit& hit) {
  if (!hit.host.empty()) return std::nullopt;
  Result<Version> version = Version::Parse(hit.version);
  if (!version) return std::nullopt;
  if (hit.subject_kind == SearchKind::kModule) {
    Result<ModuleAddress> module = ModuleAddress::Parse(hit.address);
    if (!module) return std::nullopt;
    return SearchSubject::Of(*module, *std::move(version));
  }
  Result<ProviderAddress> provider = ProviderAddress::Parse(hit.address);
  if (!provider) return std::nullopt;
  return SearchSubject::Of(*provider, *std::move(version));
}

NumbersOf BySubject(std::vector<PublishedNumber> numbers) {
  NumbersOf by_subject;
  for (PublishedNumber& each : numbers) {
    by_subject[std::move(each.subject)].push_back({std::move(each.version)});
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
  const bool is_there =
      std::ranges::find(versions, subject.version, &Numbered::version) != versions.end();
  if (!is_there) return {};
  auto before = FindVersionBefore(versions, subject.version);
  VersionBefore told{.is_known = true, .version = std::nullopt};
  if (before != versions.end()) told.version = before->version;
  return told;
}

}  // namespace

Task<std::vector<VersionBefore>> VersionsBefore::Find(std::vector<SearchHit> hits) {
  std::vector<std::optional<SearchSubject>> subjects;
  std::vector<ModuleAddress> modules;
  std::vector<ProviderAddress> providers;
  for (const SearchHit& hit : hits) {
    subjects.push_back(SubjectOf(hit));
    if (!subjects.back()) continue;
    if (hit.subject_kind == SearchKind::kModule) {
      modules.push_back(*ModuleAddress::Parse(hit.address));
    } else {
      providers.push_back(*ProviderAddress::Parse(hit.address));
    }
  }
  std::vector<VersionBefore> before(hits.size());
  if (modules.empty() && providers.empty()) co_return before;
  ASSIGN_OR_CO_RETURN(std::vector<PublishedNumber> listed,
                      co_await catalog_.ListNumbers(std::move(modules), std::move(providers)));
  const NumbersOf numbers = BySubject(std::move(listed));
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (subjects[i]) before[i] = BeforeOf(numbers, *subjects[i]);
  }
  co_return before;
}

}  // namespace koya::service
