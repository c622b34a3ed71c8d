#include "service/usage/usage.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "auth/principal.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/usage_catalog.h"
#include "domain/module_record.h"
#include "domain/namespace_record.h"
#include "service/access/namespaces.h"
#include "service/usage/usage_counter.h"

namespace koya::service {
namespace {

// Of the namespace, or of everything.
Status CheckOwner(const auth::Principal& by, const std::string& ns) {
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  return ns.empty() ? by.RequireAllNamespaces() : by.RequireNamespace(ns);
}

bool IsPrincipalName(std::string_view name) {
  constexpr std::array<std::string_view, 4> kKinds{"token:", "service:", "user:", kPerson};
  return std::ranges::any_of(kKinds, [name](std::string_view kind) {
    return name.starts_with(kind) && name.size() > kind.size();
  });
}

}  // namespace

bool Usage::MayName(const auth::Principal& by, const std::string& ns) {
  return CheckOwner(by, ns).has_value();
}

UsageDay Usage::Since(std::uint64_t days) const {
  return clock_.Now() / kSecondsOfDay - static_cast<UsageDay>(days) + 1;
}

Task<std::map<std::string, std::uint64_t>> Usage::Downloads(UsageKind kind,
                                                            std::vector<std::string> addresses) {
  std::map<std::string, std::uint64_t> downloads;
  if (addresses.empty()) co_return downloads;
  ASSIGN_OR_CO_RETURN(std::vector<UsageTotal> totals,
                      co_await catalog_.ListUsageTotals(kind, std::move(addresses)));
  for (UsageTotal& total : totals) {
    downloads.emplace(std::move(total.address), total.counts.fetches);
  }
  co_return downloads;
}

Task<UsageDay> Usage::CountedSince() { co_return co_await catalog_.FindFirstUsageDay(); }

Task<std::uint64_t> Usage::DownloadsOf(UsageItem item) {
  ASSIGN_OR_CO_RETURN(UsageTotal total, co_await catalog_.FindUsageTotal(std::move(item)));
  co_return total.counts.fetches;
}

Task<std::uint64_t> Usage::FetchesOf(UsageQuestion question) {
  UsageFilter filter{.kind = question.kind,
                     .address = std::move(question.address),
                     .ns = "",
                     .since = Since(question.days)};
  ASSIGN_OR_CO_RETURN(std::vector<UsageDaySum> days,
                      co_await catalog_.ListUsageDays(std::move(filter)));
  std::uint64_t fetches = 0;
  for (const UsageDaySum& day : days) fetches += day.counts.fetches;
  co_return fetches;
}

Task<DownloadSummary> Usage::Summarise(UsageQuestion question) {
  ASSIGN_OR_CO_RETURN(auto totals, co_await Downloads(question.kind, {question.address}));
  DownloadSummary summary{.total = totals[question.address]};
  UsageFilter filter{.kind = question.kind,
                     .address = std::move(question.address),
                     .ns = "",
                     .since = Since(DownloadSummary::kYear)};
  ASSIGN_OR_CO_RETURN(std::vector<UsageDaySum> days,
                      co_await catalog_.ListUsageDays(std::move(filter)));
  for (const UsageDaySum& day : days) {
    const std::uint64_t fetches = day.counts.fetches;
    summary.year += fetches;
    if (day.day >= Since(DownloadSummary::kMonth)) summary.month += fetches;
    if (day.day >= Since(DownloadSummary::kWeek)) summary.week += fetches;
  }
  co_return summary;
}

Task<UsageReport> Usage::Report(auth::Principal by, UsageQuestion question, UsageBy lines) {
  const bool named = MayName(by, question.ns);
  UsageFilter filter{.kind = question.kind,
                     .address = std::move(question.address),
                     .ns = "",
                     .since = Since(question.days)};
  ASSIGN_OR_CO_RETURN(std::vector<UsageDaySum> days, co_await catalog_.ListUsageDays(filter));
  ASSIGN_OR_CO_RETURN(std::vector<UsageSum> sums, co_await catalog_.ListUsage(std::move(filter)));
  UsageReport report = ReportUsage(sums, lines, named);
  report.days = std::move(days);
  co_return report;
}

Task<UsedBy> Usage::FindConsumers(auth::Principal by, UsageQuestion question,
                                  std::vector<Version> versions) {
  const bool named = MayName(by, question.ns);
  UsageFilter filter{.kind = question.kind,
                     .address = std::move(question.address),
                     .ns = "",
                     .since = Since(question.days)};
  ASSIGN_OR_CO_RETURN(std::vector<UsageDaySum> days, co_await catalog_.ListUsageDays(filter));
  ASSIGN_OR_CO_RETURN(std::vector<UsageSum> sums, co_await catalog_.ListUsage(std::move(filter)));
  UsedBy used{.report = ReportUsage(sums, UsageBy::kVersion, named),
              .consumers = ReportConsumers(sums, versions)};
  used.report.days = std::move(days);
  co_return used;
}

Task<UsageImpact> Usage::Impact(auth::Principal by, UsageQuestion question, std::string version) {
  const bool named = MayName(by, question.ns);
  UsageFilter filter{.kind = question.kind,
                     .address = std::move(question.address),
                     .ns = "",
                     .since = Since(question.days)};
  ASSIGN_OR_CO_RETURN(std::vector<UsageSum> sums, co_await catalog_.ListUsage(std::move(filter)));
  co_return ReportImpact(sums, version, named);
}

// Modules and providers withdrawn since have no releases.
Task<Releases> Usage::FindReleases(std::vector<std::pair<UsageKind, std::string>> things) {
  Releases releases;
  for (auto& [kind, address] : things) {
    std::vector<DatedVersion>& versions = releases[{kind, address}];
    if (kind == UsageKind::kModule) {
      ASSIGN_OR_CO_RETURN(ModuleAddress module, ModuleAddress::Parse(address));
      auto records = co_await catalog_.ListVersions(std::move(module));
      if (!records && records.error().kind == ErrorKind::kNotFound) continue;
      if (!records) co_return Failure(std::move(records).error());
      for (const auto& each : *records) versions.push_back({each.version, each.published_at});
    } else {
      ASSIGN_OR_CO_RETURN(ProviderAddress provider, ProviderAddress::Parse(address));
      auto records = co_await catalog_.ListReleases(std::move(provider));
      if (!records && records.error().kind == ErrorKind::kNotFound) continue;
      if (!records) co_return Failure(std::move(records).error());
      for (const auto& each : *records) versions.push_back({each.version, each.published_at});
    }
  }
  co_return releases;
}

Task<LagReport> Usage::Lag(auth::Principal by, std::string ns, std::uint64_t days) {
  CO_RETURN_IF_ERROR(CheckOwner(by, ns));
  if (ns.empty()) {
    co_return FailInvalid("name the namespace: /api/v1/usage/lag?namespace=acme");
  }
  UsageFilter filter{
      .kind = UsageKind::kModule, .address = "", .ns = NamespaceKey(ns), .since = Since(days)};
  ASSIGN_OR_CO_RETURN(std::vector<UsageSum> sums, co_await catalog_.ListUsage(std::move(filter)));
  // Those of most fetches come first.
  std::vector<std::pair<UsageKind, std::string>> things;
  std::set<std::pair<UsageKind, std::string>> known;
  bool partial = false;
  for (const UsageSum& sum : sums) {
    std::pair<UsageKind, std::string> thing{sum.item.kind, sum.item.address};
    if (known.contains(thing)) continue;
    partial = partial || things.size() == kMostMeasured;
    if (partial) continue;
    known.insert(thing);
    things.push_back(std::move(thing));
  }
  ASSIGN_OR_CO_RETURN(Releases releases, co_await FindReleases(std::move(things)));
  LagReport report = ReportLag(sums, releases, clock_.Now());
  report.partial = report.partial || partial;
  co_return report;
}

Task<Page<UnusedThing>> Usage::ListThings(UsageKind kind, std::string ns, std::uint64_t offset) {
  const PageRequest request{.offset = offset, .limit = kMostThings};
  Page<UnusedThing> things;
  if (kind == UsageKind::kModule) {
    ModuleFilter filter;
    filter.ns = std::move(ns);
    ASSIGN_OR_CO_RETURN(Page<ModuleSummary> page,
                        co_await catalog_.ListModules(std::move(filter), request));
    for (const ModuleSummary& each : page.items) {
      things.items.push_back(
          {each.address.ToString(), each.latest.ToString(), each.published_at, each.versions, 0});
    }
    things.more = page.more;
    co_return things;
  }
  ProviderFilter filter;
  filter.ns = std::move(ns);
  ASSIGN_OR_CO_RETURN(Page<ProviderSummary> page,
                      co_await catalog_.ListProviders(std::move(filter), request));
  for (const ProviderSummary& each : page.items) {
    things.items.push_back(
        {each.address.ToString(), each.latest.ToString(), each.published_at, each.versions, 0});
  }
  things.more = page.more;
  co_return things;
}

Task<Page<UnusedThing>> Usage::Unused(auth::Principal by, UsageKind kind, std::string ns,
                                      std::uint64_t days, std::uint64_t offset) {
  CO_RETURN_IF_ERROR(CheckOwner(by, ns));
  const UsageDay since = Since(days);
  ASSIGN_OR_CO_RETURN(Page<UnusedThing> things, co_await ListThings(kind, std::move(ns), offset));
  std::vector<std::string> addresses;
  for (const UnusedThing& thing : things.items) addresses.push_back(AsciiLower(thing.address));
  ASSIGN_OR_CO_RETURN(std::vector<UsageTotal> totals,
                      co_await catalog_.ListUsageTotals(kind, std::move(addresses)));
  std::map<std::string, UsageDay> last_days;
  for (const UsageTotal& total : totals) last_days[total.address] = total.last_day;
  for (UnusedThing& thing : things.items) thing.last_day = last_days[AsciiLower(thing.address)];
  std::erase_if(things.items, [since](const UnusedThing& thing) {
    return thing.last_day >= since || thing.published_at / kSecondsOfDay >= since;
  });
  co_return things;
}

Task<std::uint64_t> Usage::ForgetPrincipal(auth::Principal by, std::string principal) {
  CO_RETURN_IF_ERROR(CheckOwner(by, ""));
  if (!IsPrincipalName(principal)) {
    co_return FailInvalid("\"{}\" isn't a principal: write token:NAME, service:NAME or user:NAME",
                          Printable(principal, 100));
  }
  std::vector<std::string> names{principal};
  constexpr std::string_view kUser = "user:";
  if (principal.starts_with(kUser)) {
    auto account =
        co_await catalog_.FindAccount(AccountKind::kUser, principal.substr(kUser.size()));
    if (!account && account.error().kind == ErrorKind::kUnavailable) {
      co_return Failure(std::move(account).error());
    }
    // Of a deleted user only the name is known, and only where people are named.
    if (account) names = {"user:" + account->name, UsageMarkOf(account->id)};
  }
  if (principal.starts_with("token:")) names.push_back(UsageMarkOf(principal));
  co_return co_await catalog_.ForgetUsageOf(by.actor, std::move(names));
}

Task<MostFetched::Leaders> MostFetched::All() {
  const UnixSeconds now = clock_.Now();
  Leaders before;
  {
    const std::lock_guard lock(mutex_);
    const bool fresh = kept_at_ <= now && now < kept_at_ + std::chrono::seconds(kKept).count();
    if (kept_ && fresh) co_return kept_;
    before = kept_;
  }
  const UsageDay since = now / kSecondsOfDay - kDays + 1;
  Result<std::vector<UsageLeader>> listed =
      co_await catalog_.ListLeaders(since, UsageCatalog::kMostLeaders);
  const bool away = !listed && listed.error().kind == ErrorKind::kUnavailable;
  if (away && before) co_return before;
  if (!listed) co_return Failure(std::move(listed).error());
  auto leaders = std::make_shared<const std::vector<UsageLeader>>(*std::move(listed));
  const std::lock_guard lock(mutex_);
  kept_ = leaders;
  kept_at_ = now;
  co_return leaders;
}

Task<std::vector<UsageLeader>> MostFetched::ListMostFetched(auth::Principal by, std::size_t most) {
  ASSIGN_OR_CO_RETURN(const Leaders all, co_await All());
  std::vector<UsageLeader> readable;
  for (const UsageLeader& each : *all) {
    if (readable.size() == most) break;
    ASSIGN_OR_CO_RETURN(const NamespaceState state, co_await namespaces_.FindNamespace(each.ns));
    if (by.MayRead(each.ns, state.visibility)) readable.push_back(each);
  }
  co_return readable;
}

}  // namespace koya::service
