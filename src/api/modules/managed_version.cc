#include "api/modules/managed_version.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "domain/host_name.h"
#include "domain/module_record.h"
#include "domain/provider_record.h"
#include "domain/usage_record.h"
#include "service/access/namespaces.h"
#include "service/modules/modules.h"
#include "service/providers/providers.h"
#include "service/usage/callers.h"
#include "service/usage/usage.h"
#include "service/usage/usage_counter.h"
#include "service/usage/usage_report.h"
#include "web/modules/version_forms.h"

namespace koya::api {
namespace {

constexpr const char* kNoVersionOfYours = "no such version, or you don't manage it";

using VersionedAddress = std::variant<ModuleAddress, ProviderAddress>;

Result<VersionedAddress> AddressOfPath(const Call& call, Versioned kind) {
  if (kind == Versioned::kModule) {
    ASSIGN_OR_RETURN(ModuleAddress address, call.ModuleFromPath());
    return VersionedAddress(std::move(address));
  }
  ASSIGN_OR_RETURN(ProviderAddress address, call.ProviderFromPath());
  return VersionedAddress(std::move(address));
}

std::string NamespaceOf(const VersionedAddress& address) {
  return std::visit([](const auto& each) { return std::string(each.ns()); }, address);
}

// Copies the facts about managed.version from the list of all versions.
template <class Record>
void NoteVersion(const std::vector<Record>& versions, ManagedVersion& managed) {
  auto found = std::ranges::find(versions, managed.version, &Record::version);
  if (found == versions.end()) return;
  managed.is_here = true;
  managed.is_only = versions.size() == 1;
  managed.deprecation = found->deprecation;
}

Task<void> LookForVersion(Call& call, ManagedVersion& managed) {
  if (const auto* module = std::get_if<ModuleAddress>(&managed.address)) {
    Result<std::vector<ModuleVersionRecord>> versions =
        co_await call.services.modules.published.ListVersions(*module);
    if (versions) NoteVersion(*versions, managed);
    // In the letter case that it was published in.
    if (versions && !versions->empty()) managed.address = versions->front().address;
    if (versions || versions.error().kind == ErrorKind::kNotFound) co_return Status();
    co_return Failure(std::move(versions).error());
  }
  Result<std::vector<ReleaseSummary>> releases =
      co_await call.services.providers.published.ListVersions(
          std::get<ProviderAddress>(managed.address));
  if (releases) NoteVersion(*releases, managed);
  if (releases || releases.error().kind == ErrorKind::kNotFound) co_return Status();
  co_return Failure(std::move(releases).error());
}

// "" for consumers without a name: callers without a token, and people, whose names are not stored.
std::string ConsumerOf(const service::UsageLine& line) {
  const std::string& name = line.label.empty() ? line.principal : line.label;
  return name == "people" ? std::string() : name;
}

void FillFetches(const service::UsageImpact& impact, web::WithdrawPage& page) {
  const service::UsageReport& report = impact.report;
  page.fetches = report.counts.fetches;
  page.all_fetches = impact.all_fetches;
  page.consumers = report.consumers;
  page.people = report.people;
  page.is_partial = report.partial;
  for (const service::UsageLine& line : report.lines) {
    std::string name = ConsumerOf(line);
    if (name.empty()) continue;
    if (page.names.size() == web::WithdrawPage::kMostConsumers) {
      ++page.more_names;
      continue;
    }
    page.names.push_back(std::move(name));
  }
}

void FillCallers(service::CallerReport report, web::WithdrawPage& page) {
  constexpr std::size_t kMost = web::WithdrawPage::kMostCallers;
  page.more_callers = report.more || report.callers.size() > kMost;
  page.unknown = report.unknown;
  page.unknown_more = report.unknown_more;
  for (service::ModuleCaller& each : report.callers) {
    if (page.callers.size() == kMost) break;
    page.callers.push_back({std::move(each.address), std::move(each.version),
                            std::move(each.constraint), std::move(each.instead)});
  }
}

Task<service::CallerReport> CallersOf(Call& call, const ManagedVersion& managed) {
  Services& services = call.services;
  ReadableNamespaces readable = call.principal.Readable(services.rights.namespaces.unrecorded());
  if (const auto* module = std::get_if<ModuleAddress>(&managed.address)) {
    co_return co_await services.usage.callers.OfModule(std::move(readable), services.Names(),
                                                       *module, managed.version);
  }
  co_return co_await services.usage.callers.OfProvider(std::move(readable), services.Names(),
                                                       std::get<ProviderAddress>(managed.address),
                                                       managed.version);
}

}  // namespace

web::VersionName ManagedVersion::Name() const {
  return {.is_module = std::holds_alternative<ModuleAddress>(address),
          .ns = NamespaceOf(address),
          .address = std::visit([](const auto& each) { return each.ToString(); }, address),
          .version = version.ToString()};
}

Task<ManagedVersion> FindManagedVersion(Call& call, Versioned kind, Role needed) {
  Result<VersionedAddress> address = AddressOfPath(call, kind);
  Result<Version> version = call.VersionFromPath();
  if (!address || !version || !call.principal.RequireNamespace(NamespaceOf(*address), needed)) {
    co_return Fail(ErrorKind::kNotFound, kNoVersionOfYours);
  }
  ManagedVersion managed{
      .address = *std::move(address), .version = *std::move(version), .deprecation = {}};
  CO_RETURN_IF_ERROR(co_await LookForVersion(call, managed));
  co_return managed;
}

Task<void> DeprecateManaged(Call& call, const ManagedVersion& managed, std::string message) {
  if (const auto* module = std::get_if<ModuleAddress>(&managed.address)) {
    co_return co_await call.services.modules.published.Deprecate(
        call.principal, *module, managed.version, std::move(message));
  }
  co_return co_await call.services.providers.published.Deprecate(
      call.principal, std::get<ProviderAddress>(managed.address), managed.version,
      std::move(message));
}

Task<void> WithdrawManaged(Call& call, const ManagedVersion& managed, std::string reason,
                           std::string successor) {
  if (const auto* module = std::get_if<ModuleAddress>(&managed.address)) {
    co_return co_await call.services.modules.published.Withdraw(
        call.principal, *module, managed.version, std::move(reason), std::move(successor));
  }
  co_return co_await call.services.providers.published.Withdraw(
      call.principal, std::get<ProviderAddress>(managed.address), managed.version,
      std::move(reason), std::move(successor));
}

Task<void> RestoreManaged(Call& call, const ManagedVersion& managed, std::string reason) {
  if (const auto* module = std::get_if<ModuleAddress>(&managed.address)) {
    co_return co_await call.services.modules.published.Restore(call.principal, *module,
                                                               managed.version, std::move(reason));
  }
  co_return co_await call.services.providers.published.Restore(
      call.principal, std::get<ProviderAddress>(managed.address), managed.version,
      std::move(reason));
}

Task<web::WithdrawPage> WithdrawPageOf(Call& call, const ManagedVersion& managed) {
  web::WithdrawPage page{.name = managed.Name(),
                         .is_only = managed.is_only,
                         .is_counted = call.services.usage.counter.on()};
  if (page.is_counted) {
    const UsageItem item =
        std::visit([](const auto& each) { return UsageItem::OfAll(each); }, managed.address);
    service::UsageQuestion question{
        .kind = item.kind, .address = item.address, .ns = item.ns, .days = page.days};
    ASSIGN_OR_CO_RETURN(service::UsageImpact impact,
                        co_await call.services.usage.reports.Impact(
                            call.principal, std::move(question), page.name.version));
    FillFetches(impact, page);
  }
  ASSIGN_OR_CO_RETURN(service::CallerReport callers, co_await CallersOf(call, managed));
  FillCallers(std::move(callers), page);
  co_return page;
}

}  // namespace koya::api
