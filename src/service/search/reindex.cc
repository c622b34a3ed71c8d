#include "service/search/reindex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/offload.h"
#include "catalog/catalog.h"
#include "domain/mirrored_subject.h"
#include "inspect/contents.h"
#include "service/search/search_entries.h"

namespace koya::service {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMostProblems = 100;  // of a step; the rest is not told

enum Section : std::size_t {
  kModules,
  kProviders,
  kMirroredModules,
  kMirroredProviders,
  kIndex,
  kEnd
};
constexpr std::array<std::string_view, kEnd> kSectionNames = {"modules", "providers", "mirrored",
                                                              "mirrored-providers", "index"};

Failure BadReindexPlace() {
  return FailInvalid(
      "\"after\" is the \"next\" of the previous step, for example modules/acme/vpc/aws@1.0.0");
}

// True if the subject of the query no longer exists.
template <class T>
bool IsGone(const Result<T>& answer) {
  return !answer &&
         (answer.error().kind == ErrorKind::kNotFound || answer.error().kind == ErrorKind::kGone);
}

Result<ProviderAddress> ReadProvider(std::string_view address) {
  const std::size_t slash = address.find('/');
  if (slash == std::string_view::npos) return BadReindexPlace();
  return ProviderAddress::FromParts(address.substr(0, slash), address.substr(slash + 1));
}

// "registry.example.org/acme/demo".
Result<UpstreamProvider> ReadMirroredProvider(std::string_view address) {
  const std::size_t slash = address.find('/');
  if (slash == std::string_view::npos) return BadReindexPlace();
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(address.substr(0, slash)));
  ASSIGN_OR_RETURN(ProviderAddress provider, ReadProvider(address.substr(slash + 1)));
  return UpstreamProvider{.host = std::move(host), .address = std::move(provider)};
}

bool IsAnyHeld(const UpstreamRelease& release) {
  return std::ranges::any_of(release.packages, &UpstreamPackage::held);
}

}  // namespace

// "registry.example.org/acme/vpc/aws".
Result<UpstreamModule> ReadMirroredModule(std::string_view address) {
  const std::size_t slash = address.find('/');
  if (slash == std::string_view::npos) return BadReindexPlace();
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(address.substr(0, slash)));
  ASSIGN_OR_RETURN(ModuleAddress module, ModuleAddress::Parse(address.substr(slash + 1)));
  return UpstreamModule{.host = std::move(host), .address = std::move(module)};
}

// "modules/acme/vpc/aws@1.0.0": the last item done. The versions of a module are done from the
// newest on; without a version, all of them are done.
struct Reindexing::Place {
  std::size_t section = kModules;
  std::string address;  // "": the section begins. Of the index: "module:acme/vpc/aws"
  std::optional<Version> version;

  void Enter(std::size_t next) {
    section = next;
    address.clear();
    version.reset();
  }
  std::string ToString() const {
    if (section == kEnd) return "";
    std::string text = fmt::format("{}/{}", kSectionNames[section], address);
    return version ? text + "@" + version->ToString() : text;
  }
};

// What the catalog has of the subject of the index that was looked at last.
struct Reindexing::Known {
  std::string key;
  std::set<std::string> versions;
};

Result<Reindexing::Place> Reindexing::ReadPlace(const std::string& after) {
  Place place;
  const std::size_t slash = after.find('/');
  const auto name = std::ranges::find(kSectionNames, std::string_view(after).substr(0, slash));
  if (slash == std::string::npos || name == kSectionNames.end()) return BadReindexPlace();
  place.section = static_cast<std::size_t>(name - kSectionNames.begin());
  place.address = after.substr(slash + 1);
  const std::size_t at = place.address.rfind('@');
  if (at == std::string::npos) return place;
  Result<Version> version = Version::Parse(std::string_view(place.address).substr(at + 1));
  if (!version) return BadReindexPlace();
  place.version = *std::move(version);
  place.address.resize(at);
  return place;
}

Task<ReindexStep> Reindexing::Step(std::string after) {
  Place place;
  if (after.empty()) {
    CO_RETURN_IF_ERROR(co_await catalog_.ForgetSpellings());
  } else {
    ASSIGN_OR_CO_RETURN(place, ReadPlace(after));
  }
  ReindexStep step;
  const SteadyClock::time_point until = SteadyClock::now() + kStepTime;
  while (place.section != kEnd && SteadyClock::now() < until &&
         step.indexed + step.removed < kMostOfStep) {
    CO_RETURN_IF_ERROR(co_await GoOn(&place, &step));
  }
  step.next = place.ToString();
  co_return step;
}

// Handles one version, or one page of the index.
Task<void> Reindexing::GoOn(Place* place, ReindexStep* step) {
  if (place->section == kModules) co_return co_await ModuleStep(place, step);
  if (place->section == kProviders) co_return co_await ProviderStep(place, step);
  if (place->section == kMirroredModules) co_return co_await MirroredStep(place, step);
  if (place->section == kMirroredProviders) co_return co_await MirroredProviderStep(place, step);
  co_return co_await RemoveStep(place, step);
}

Task<void> Reindexing::ModuleStep(Place* place, ReindexStep* step) {
  if (!place->version) {
    ModuleFilter filter{.ns = {}, .name = {}, .system = {}, .query = {}, .after = place->address};
    ASSIGN_OR_CO_RETURN(
        Page<ModuleSummary> page,
        co_await catalog_.ListModules(std::move(filter), {.offset = 0, .limit = 1}));
    if (page.items.empty()) {
      place->Enter(kProviders);
      co_return Status();
    }
    place->address = page.items.front().address.ToString();
  }
  ASSIGN_OR_CO_RETURN(ModuleAddress address, ModuleAddress::Parse(place->address));
  auto versions = co_await catalog_.ListVersions(std::move(address));
  if (!versions && !IsGone(versions)) co_return Failure(std::move(versions).error());
  std::vector<ModuleVersionRecord> records;
  if (versions) records = *std::move(versions);
  const SteadyClock::time_point until = SteadyClock::now() + kStepTime;
  for (ModuleVersionRecord& record : records) {
    if (place->version && record.version >= *place->version) continue;
    place->version = record.version;
    CO_RETURN_IF_ERROR(co_await IndexModule(std::move(record), step));
    if (step->indexed >= kMostOfStep || SteadyClock::now() >= until) co_return Status();
  }
  place->version.reset();
  co_return Status();
}

Task<void> Reindexing::ProviderStep(Place* place, ReindexStep* step) {
  if (!place->version) {
    ProviderFilter filter{.ns = {}, .query = {}, .after = place->address};
    ASSIGN_OR_CO_RETURN(
        Page<ProviderSummary> page,
        co_await catalog_.ListProviders(std::move(filter), {.offset = 0, .limit = 1}));
    if (page.items.empty()) {
      place->Enter(kMirroredModules);
      co_return Status();
    }
    place->address = page.items.front().address.ToString();
  }
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ReadProvider(place->address));
  auto releases = co_await catalog_.ListReleases(address);
  if (!releases && !IsGone(releases)) co_return Failure(std::move(releases).error());
  std::vector<ReleaseSummary> summaries;
  if (releases) summaries = *std::move(releases);
  const SteadyClock::time_point until = SteadyClock::now() + kStepTime;
  for (const ReleaseSummary& release : summaries) {
    if (place->version && release.version >= *place->version) continue;
    place->version = release.version;
    CO_RETURN_IF_ERROR(co_await IndexProvider(address, release.version, step));
    if (step->indexed >= kMostOfStep || SteadyClock::now() >= until) co_return Status();
  }
  place->version.reset();
  co_return Status();
}

// Handles a page of mirrored modules.
Task<void> Reindexing::MirroredStep(Place* place, ReindexStep* step) {
  std::optional<std::pair<UpstreamModule, Version>> after;
  if (place->version) {
    ASSIGN_OR_CO_RETURN(UpstreamModule module, ReadMirroredModule(place->address));
    after.emplace(std::move(module), *place->version);
  }
  ASSIGN_OR_CO_RETURN(std::vector<UpstreamModuleVersion> versions,
                      co_await catalog_.ListUpstreamModuleArchives(std::move(after), kMostOfStep));
  if (versions.empty()) {
    place->Enter(kMirroredProviders);
    co_return Status();
  }
  const SteadyClock::time_point until = SteadyClock::now() + kStepTime;
  for (UpstreamModuleVersion& each : versions) {
    place->address = each.module.host.ascii() + "/" + each.module.address.ToString();
    place->version = each.version;
    CO_RETURN_IF_ERROR(co_await IndexMirrored(std::move(each), step));
    if (step->indexed >= kMostOfStep || SteadyClock::now() >= until) co_return Status();
  }
  co_return Status();
}

Task<void> Reindexing::MirroredProviderStep(Place* place, ReindexStep* step) {
  std::optional<std::pair<UpstreamProvider, Version>> after;
  if (place->version) {
    ASSIGN_OR_CO_RETURN(UpstreamProvider provider, ReadMirroredProvider(place->address));
    after.emplace(std::move(provider), *place->version);
  }
  ASSIGN_OR_CO_RETURN(std::vector<UpstreamRelease> releases,
                      co_await catalog_.ListUpstreamReleases(std::move(after), kMostOfStep));
  if (releases.empty()) {
    place->Enter(kIndex);
    co_return Status();
  }
  const SteadyClock::time_point until = SteadyClock::now() + kStepTime;
  for (UpstreamRelease& each : releases) {
    place->address = each.provider.Key();
    place->version = each.version;
    CO_RETURN_IF_ERROR(co_await IndexMirroredRelease(std::move(each), step));
    if (step->indexed >= kMostOfStep || SteadyClock::now() >= until) co_return Status();
  }
  co_return Status();
}

// `contents` that cannot be read are a problem, and no failure.
Task<void> Reindexing::PutModule(SearchSubject subject, std::string description,
                                 Result<SharedContents> contents, ReindexStep* step) {
  if (!contents && contents.error().kind == ErrorKind::kUnavailable) {
    co_return Failure(std::move(contents).error());
  }
  if (!contents && step->problems.size() < kMostProblems) {
    step->problems.push_back(
        {subject.address, subject.version.ToString(), contents.error().message});
  }
  static const inspect::ModuleContents kUnknown;
  std::string_view bare = subject.address;
  if (!subject.host.empty()) bare.remove_prefix(subject.host.size() + 1);
  ASSIGN_OR_CO_RETURN(ModuleAddress address, ModuleAddress::Parse(bare));
  auto prepare = [&] {
    return ModuleSearchEntries(address, description, contents ? **contents : kUnknown);
  };
  std::vector<SearchEntry> entries = co_await Offload(workers_, std::move(prepare));
  auto put = co_await catalog_.PutSearchEntries(std::move(subject), std::move(entries));
  if (!put && !IsGone(put)) co_return Failure(std::move(put).error());
  if (put) ++step->indexed;
  co_return Status();
}

Task<void> Reindexing::IndexModule(ModuleVersionRecord record, ReindexStep* step) {
  SearchSubject subject = SearchSubject::Of(record.address, record.version);
  std::string description = record.description;
  Result<SharedContents> contents = co_await contents_.Read(std::move(record));
  co_return co_await PutModule(std::move(subject), std::move(description), std::move(contents),
                               step);
}

Task<void> Reindexing::IndexMirrored(UpstreamModuleVersion version, ReindexStep* step) {
  if (!version.held) co_return Status();
  SearchSubject subject =
      SearchSubject::Mirrored(version.module.host.ascii(), version.module.address, version.version);
  Result<SharedContents> contents = co_await contents_.ReadMirrored(std::move(version));
  if (IsGone(contents)) co_return Status();  // it was let go meanwhile
  co_return co_await PutModule(std::move(subject), "", std::move(contents), step);
}

Task<void> Reindexing::IndexProvider(ProviderAddress address, Version version, ReindexStep* step) {
  auto pages = co_await contents_.ReadPages(address, version);
  if (!pages && IsGone(pages)) co_return Status();
  if (!pages) co_return Failure(std::move(pages).error());
  SearchSubject subject = SearchSubject::Of(address, std::move(version));
  co_return co_await PutProvider(std::move(subject), std::move(address), *std::move(pages), step);
}

Task<void> Reindexing::IndexMirroredRelease(UpstreamRelease release, ReindexStep* step) {
  if (!IsAnyHeld(release)) co_return Status();
  ASSIGN_OR_CO_RETURN(
      std::vector<SearchablePage> pages,
      co_await ReadMirroredPages(catalog_, workers_, release.provider, release.version));
  SearchSubject subject = MirroredSubject(release.provider, std::move(release.version));
  co_return co_await PutProvider(std::move(subject), std::move(release.provider.address),
                                 std::move(pages), step);
}

Task<void> Reindexing::PutProvider(SearchSubject subject, ProviderAddress address,
                                   std::vector<SearchablePage> pages, ReindexStep* step) {
  auto prepare = [&] { return ProviderSearchEntries(address, pages); };
  std::vector<SearchEntry> entries = co_await Offload(workers_, std::move(prepare));
  auto put = co_await catalog_.PutSearchEntries(std::move(subject), std::move(entries));
  if (!put && !IsGone(put)) co_return Failure(std::move(put).error());
  if (put) ++step->indexed;
  co_return Status();
}

Task<void> Reindexing::IndexMirroredVersion(SearchSubject subject, ReindexStep* step) {
  if (subject.kind == SearchKind::kProvider) {
    ASSIGN_OR_CO_RETURN(UpstreamProvider provider, ReadMirroredProvider(subject.address));
    auto release = co_await catalog_.FindUpstreamRelease(std::move(provider), subject.version);
    if (IsGone(release)) co_return Status();
    if (!release) co_return Failure(std::move(release).error());
    co_return co_await IndexMirroredRelease(*std::move(release), step);
  }
  ASSIGN_OR_CO_RETURN(UpstreamModule mirrored, ReadMirroredModule(subject.address));
  auto version = co_await catalog_.FindUpstreamModule(std::move(mirrored), subject.version);
  if (IsGone(version)) co_return Status();
  if (!version) co_return Failure(std::move(version).error());
  co_return co_await IndexMirrored(*std::move(version), step);
}

Task<void> Reindexing::IndexVersion(SearchSubject subject, ReindexStep* step) {
  if (!subject.host.empty()) co_return co_await IndexMirroredVersion(std::move(subject), step);
  if (subject.kind == SearchKind::kModule) {
    ASSIGN_OR_CO_RETURN(ModuleAddress module, ModuleAddress::Parse(subject.address));
    auto record = co_await catalog_.FindVersion(std::move(module), subject.version);
    if (IsGone(record)) co_return Status();
    if (!record) co_return Failure(std::move(record).error());
    co_return co_await IndexModule(*std::move(record), step);
  }
  ASSIGN_OR_CO_RETURN(ProviderAddress provider, ReadProvider(subject.address));
  co_return co_await IndexProvider(std::move(provider), subject.version, step);
}

// Of another registry.
Task<bool> Reindexing::IsHeld(const SearchSubject& subject) {
  if (subject.kind == SearchKind::kProvider) {
    ASSIGN_OR_CO_RETURN(UpstreamProvider provider, ReadMirroredProvider(subject.address));
    auto release = co_await catalog_.FindUpstreamRelease(std::move(provider), subject.version);
    if (IsGone(release)) co_return false;
    if (!release) co_return Failure(std::move(release).error());
    co_return IsAnyHeld(*release);
  }
  ASSIGN_OR_CO_RETURN(UpstreamModule module, ReadMirroredModule(subject.address));
  auto version = co_await catalog_.FindUpstreamModule(std::move(module), subject.version);
  if (IsGone(version)) co_return false;
  if (!version) co_return Failure(std::move(version).error());
  co_return version->held;
}

Task<Reindexing::Known> Reindexing::VersionsOf(const SearchSubject& subject) {
  Known known{.key = subject.key, .versions = {}};
  if (subject.kind == SearchKind::kModule) {
    ASSIGN_OR_CO_RETURN(ModuleAddress address, ModuleAddress::Parse(subject.address));
    auto records = co_await catalog_.ListVersions(std::move(address));
    if (!records && !IsGone(records)) co_return Failure(std::move(records).error());
    if (!records) co_return known;
    for (const ModuleVersionRecord& each : *records) known.versions.insert(each.version.ToString());
    co_return known;
  }
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ReadProvider(subject.address));
  auto releases = co_await catalog_.ListReleases(std::move(address));
  if (!releases && !IsGone(releases)) co_return Failure(std::move(releases).error());
  if (!releases) co_return known;
  for (const ReleaseSummary& each : *releases) known.versions.insert(each.version.ToString());
  co_return known;
}

Task<void> Reindexing::RemoveStep(Place* place, ReindexStep* step) {
  std::optional<SearchSubject> after;
  if (place->version) {
    after = SearchSubject{
        .kind = {}, .ns = {}, .address = {}, .key = place->address, .version = *place->version};
  }
  ASSIGN_OR_CO_RETURN(std::vector<SearchSubject> subjects,
                      co_await catalog_.ListSearchSubjects(std::move(after)));
  if (subjects.empty()) {
    place->Enter(kEnd);
    co_return Status();
  }
  Known known;
  const SteadyClock::time_point until = SteadyClock::now() + kStepTime;
  for (SearchSubject& subject : subjects) {
    bool there = false;
    if (!subject.host.empty()) {
      ASSIGN_OR_CO_RETURN(there, co_await IsHeld(subject));
    } else {
      if (subject.key != known.key) {
        ASSIGN_OR_CO_RETURN(known, co_await VersionsOf(subject));
      }
      there = known.versions.contains(subject.version.ToString());
    }
    place->address = subject.key;
    place->version = subject.version;
    if (!there) {
      CO_RETURN_IF_ERROR(co_await catalog_.RemoveSearchEntries(std::move(subject)));
      ++step->removed;
    }
    if (step->removed >= kMostOfStep || SteadyClock::now() >= until) co_return Status();
  }
  co_return Status();
}

}  // namespace koya::service
