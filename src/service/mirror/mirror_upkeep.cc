#include "service/mirror/mirror_upkeep.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/offload.h"
#include "catalog/upstream_catalog.h"
#include "catalog/usage_catalog.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/upstream_record.h"
#include "domain/usage_record.h"
#include "obs/log.h"
#include "service/mirror/gate.h"
#include "service/mirror/inventory.h"
#include "service/mirror/module_mirror.h"
#include "service/mirror/provider_mirror.h"
#include "upstream/provider_source.h"
#include "upstream/verification.h"

namespace koya::service {
namespace {

constexpr std::uint64_t kKeysAtOnce = 1000;
// Documents of held releases are compared once a day.
constexpr UnixSeconds kBetweenExaminations = 86'400;
constexpr std::size_t kMostExamined = 10'000;

constexpr std::string_view kProviderLists = "provider-versions:";
constexpr std::string_view kModuleLists = "module-versions:";

// "HOST/ADDRESS" in its two parts.
template <class Subject, class Address>
Result<Subject> ParseSubject(std::string_view subject) {
  const std::size_t slash = std::min(subject.find('/'), subject.size());
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(subject.substr(0, slash)));
  ASSIGN_OR_RETURN(Address address,
                   Address::Parse(subject.substr(std::min(slash + 1, subject.size()))));
  return Subject{std::move(host), std::move(address)};
}

}  // namespace

Task<WatchReport> MirrorWatch::Run(const std::atomic<bool>& stop) {
  report_ = {};
  ASSIGN_OR_CO_RETURN(const std::shared_ptr<const PolicyInForce> policy,
                      co_await context_.gate.ReadPolicy());
  if (policy->policy.rules().empty()) co_return report_;
  for (const bool modules : {false, true}) {
    std::string after;
    do {
      ASSIGN_OR_CO_RETURN(after, co_await WatchPage(modules, std::move(after), stop));
    } while (!after.empty() && !stop);
  }
  co_return report_;
}

// Looks at a page of the lists that are known here. Returns the last key; "": there are no others.
Task<std::string> MirrorWatch::WatchPage(bool modules, std::string after,
                                         const std::atomic<bool>& stop) {
  const std::string kind(modules ? kModuleLists : kProviderLists);
  ASSIGN_OR_CO_RETURN(std::vector<std::string> keys, co_await context_.catalog.ListDocumentKeys(
                                                         kind, std::move(after), kKeysAtOnce));
  if (keys.empty()) co_return std::string();
  std::vector<std::string> subjects;
  for (const std::string& key : keys) subjects.push_back(key.substr(kind.size()));
  ASSIGN_OR_CO_RETURN(
      const std::vector<UsageTotal> totals,
      co_await usage_.ListUsageTotals(
          modules ? UsageKind::kMirroredModule : UsageKind::kMirroredProvider, subjects));
  const UsageDay since = context_.clock.Now() / kSecondsOfDay - kUsedWithin.count();
  for (const UsageTotal& each : totals) {
    if (stop) co_return std::string();
    if (each.last_day < since) continue;
    ASSIGN_OR_CO_RETURN(const SubjectGate gate, co_await context_.gate.Open(each.address));
    if (gate.AllowsAll() || !gate.CheckSubject()) continue;
    CO_RETURN_IF_ERROR(
        co_await (modules ? WatchModule(each.address) : WatchProvider(each.address)));
  }
  co_return keys.size() < kKeysAtOnce ? std::string() : std::move(keys.back());
}

Task<void> MirrorWatch::WatchModule(std::string subject) {
  Result<UpstreamModule> module = ParseSubject<UpstreamModule, ModuleAddress>(subject);
  if (!module) co_return Status();
  const Result<MirroredModuleVersions> list = co_await modules_.ListVersions(*std::move(module));
  ++(list ? report_.lists : report_.failed);
  co_return Status();
}

// The registry's failures are counted; clients meet them, too.
Task<void> MirrorWatch::WatchProvider(std::string subject) {
  Result<UpstreamProvider> provider = ParseSubject<UpstreamProvider, ProviderAddress>(subject);
  if (!provider) co_return Status();
  const Result<std::vector<Version>> held = co_await providers_.ListHeld(*provider);
  ++(held ? report_.lists : report_.failed);
  if (!held) co_return Status();
  for (const Version& version : *held) {
    if (!IsDue(subject + "@" + version.ToString())) continue;
    const Result<ProviderMirror::Ahead> ahead = co_await providers_.LookAhead(*provider, version);
    if (!ahead) {
      ++report_.failed;
      context_.log.Failure(
          "a held release could not be examined: " + subject + " " + version.ToString(),
          ahead.error());
      continue;
    }
    if (*ahead == ProviderMirror::Ahead::kPinned) ++report_.pinned;
    if (*ahead != ProviderMirror::Ahead::kChanged) continue;
    ++report_.changed;
    ++changed_;
    CO_RETURN_IF_ERROR(co_await context_.gate.MarkChanged(*provider, version));
    context_.log.Warn("a held release has changed upstream: it is refused",
                      {{"provider", subject}, {"version", version.ToString()}});
  }
  co_return Status();
}

bool MirrorWatch::IsDue(const std::string& release) {
  const UnixSeconds now = context_.clock.Now();
  if (examined_.size() >= kMostExamined) examined_.clear();
  const auto [entry, is_new] = examined_.try_emplace(release, now);
  const UnixSeconds age = now - entry->second;
  if (!is_new && age >= 0 && age < kBetweenExaminations) return false;
  entry->second = now;
  return true;
}

namespace {

constexpr std::uint64_t kReleasesAtOnce = 100;

}  // namespace

Task<SignerBackfill::Report> SignerBackfill::Run(const std::atomic<bool>& stop) {
  Report report;
  std::optional<std::pair<UpstreamProvider, Version>> after;
  while (!stop) {
    ASSIGN_OR_CO_RETURN(const std::vector<UpstreamRelease> releases,
                        co_await context_.catalog.ListUnknownSigners(
                            std::exchange(after, std::nullopt), kReleasesAtOnce));
    if (releases.empty()) break;
    for (const UpstreamRelease& release : releases) {
      if (stop) break;
      const Status recorded = co_await RecordSigner(release);
      ++(recorded ? report.recorded : report.unknown);
      if (recorded) continue;
      context_.log.Failure(fmt::format("it is not known who signed {} {}", release.provider.Key(),
                                       release.version.ToString()),
                           recorded.error());
    }
    after.emplace(releases.back().provider, releases.back().version);
  }
  co_return report;
}

Task<void> SignerBackfill::RecordSigner(const UpstreamRelease& release) {
  ASSIGN_OR_CO_RETURN(ReleaseDocuments documents,
                      co_await inventory_.ReadDocuments(release.provider, release.version));
  const upstream::FetchedDownload download{.sums = std::move(documents.sums),
                                           .signature = std::move(documents.signature),
                                           .keys = std::move(documents.keys)};
  auto find = [&] { return upstream::FindSigner(download, release.seen_at); };
  ASSIGN_OR_CO_RETURN(std::string signer, co_await Offload(context_.pools.workers, find));
  co_return co_await context_.catalog.RecordSigner(release.provider, release.version,
                                                   std::move(signer));
}

}  // namespace koya::service
