#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/common/call.h"
#include "api/common/page_form.h"
#include "base/task.h"
#include "domain/access.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "domain/usage_record.h"
#include "domain/version.h"
#include "obs/log.h"
#include "service/access/namespaces.h"
#include "service/modules/modules.h"
#include "service/providers/providers.h"
#include "service/usage/callers.h"
#include "service/usage/usage.h"
#include "service/usage/usage_counter.h"
#include "service/usage/usage_report.h"
#include "web/common/page_paths.h"
#include "web/modules/version_forms.h"

namespace koya::api {
namespace {

// A version of a module or provider that a user wants to deprecate, withdraw or restore.
enum class Versioned { kModule, kProvider };

struct ManagedVersion {
  std::variant<ModuleAddress, ProviderAddress> address;
  Version version;
  bool is_here = false;
  bool is_only = false;     // no other version exists
  std::string deprecation;  // the message for its users; "": none

  // For display.
  web::VersionName Name() const;
};

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

web::VersionName ManagedVersion::Name() const {
  return {.is_module = std::holds_alternative<ModuleAddress>(address),
          .ns = NamespaceOf(address),
          .address = std::visit([](const auto& each) { return each.ToString(); }, address),
          .version = version.ToString()};
}

// The version in the path, if the caller has the role `needed` in its namespace; the
// version need not exist. Fails: kNotFound: the role is missing, or the path names nothing that
// could exist; as the catalog.
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

// Do the same as the API. Fail: as service::Modules and Providers.
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

// The page with the users of the version, who would miss it. Fails: as the catalog; kNotFound:
// nothing of it is left here.
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

// Another client was faster, or the version never existed: its own page says which.
http::Response IsNotHere(FormPage& page, const web::VersionName& name) {
  return page.Done(web::VersionFormPath(name), "version_gone", name.version);
}

// A page for users with the role kNeeded in the namespace of the path's version, which is kHere.
template <Role kNeeded, bool kHere = true>
struct ManagersPage : FormPage {
  using FormPage::FormPage;

  std::optional<ManagedVersion> managed = std::nullopt;  // set by Admit

  Task<std::optional<http::Response>> Admit() {
    const bool is_module = call.pattern.starts_with("/modules/");
    ASSIGN_OR_CO_RETURN(managed,
                        co_await FindManagedVersion(
                            call, is_module ? Versioned::kModule : Versioned::kProvider, kNeeded));
    if (managed->is_here == kHere) co_return std::nullopt;
    if (call.request().method == http::Method::kPost) co_return IsNotHere(*this, managed->Name());
    co_return visit.GoTo(web::VersionFormPath(managed->Name()));
  }
};
using PublishersPage = ManagersPage<Role::kPublisher>;
using WithdrawersPage = ManagersPage<Role::kOwner>;
using RestorersPage = ManagersPage<Role::kOwner, false>;

// Logs a change of the version; `what`: in the words of the log.
void LogManaged(const FormPage& page, std::string_view what, const web::VersionName& name,
                std::string_view field, std::string_view text) {
  page.services.log.Info(fmt::format("{} {}", name.is_module ? "module" : "provider", what),
                         {{"request_id", page.call.request().request_id},
                          {"by", page.by.name},
                          {"address", name.address},
                          {"version", name.version},
                          {field, text},
                          {"remote", page.call.request().remote}});
}

// Why a change was not made: beside the field that it is about, unless the version is not here.
Result<Outcome> RejectedRemark(FormPage& page, const web::VersionName& name, std::string field,
                               const Error& error) {
  const bool is_absent = error.kind == ErrorKind::kNotFound || error.kind == ErrorKind::kGone;
  if (is_absent) return IsNotHere(page, name);
  return page.Reject(std::move(field), error, web::Typed::kVersionRemark);
}

Task<std::string> ShowDeprecation(PublishersPage& page) {
  const std::string& current = page.managed->deprecation;
  const web::DeprecatePage shown{.name = page.managed->Name(),
                                 .current = current,
                                 .message = page.Typed("message", current),
                                 .errors = page.errors};
  co_return web::RenderDeprecate(page.visit.Frame(), shown);
}

// Leads to the list of versions, which shows the change.
Task<Outcome> Deprecate(PublishersPage& page) {
  const web::VersionName name = page.managed->Name();
  const bool undo = page.form.Get("undo") == "yes";
  const std::string message = undo ? std::string() : page.form.Get("message");
  if (!undo && message.empty()) page.errors.Add("message", "required");
  if (!page.errors.empty()) co_return kFormAgain;
  const Status done = co_await DeprecateManaged(page.call, *page.managed, message);
  if (!done) co_return RejectedRemark(page, name, "message", done.error());
  LogManaged(page, "deprecated", name, "message", message);
  co_return page.Done(web::VersionListPath(name),
                      message.empty() ? "version_undeprecated" : "version_deprecated",
                      name.version);
}

Task<std::string> ShowWithdrawal(WithdrawersPage& page) {
  ASSIGN_OR_CO_RETURN(web::WithdrawPage shown, co_await WithdrawPageOf(page.call, *page.managed));
  shown.reason = page.form.Get("reason");
  shown.successor = page.form.Get("successor");
  shown.typed = page.form.Get("typed");
  shown.errors = page.errors;
  co_return web::RenderWithdraw(page.visit.Frame(), shown);
}

// Leads to the remaining versions, or to the namespace if none remain.
Task<Outcome> Withdraw(WithdrawersPage& page) {
  const web::VersionName name = page.managed->Name();
  const std::string reason = page.form.Get("reason");
  if (reason.empty()) page.errors.Add("reason", "required");
  if (page.form.Get("typed") != name.version) page.errors.Add("typed", "version_wrong");
  if (!page.errors.empty()) co_return kFormAgain;
  const Status done =
      co_await WithdrawManaged(page.call, *page.managed, reason, page.form.Get("successor"));
  if (!done) co_return RejectedRemark(page, name, "reason", done.error());
  LogManaged(page, "withdrawn", name, "reason", reason);
  co_return page.Done(
      page.managed->is_only ? web::NamespacePath(name.ns) : web::VersionListPath(name),
      "version_withdrawn", name.version);
}

Task<std::string> ShowRestoration(RestorersPage& page) {
  const web::RestorePage shown{
      .name = page.managed->Name(), .reason = page.form.Get("reason"), .errors = page.errors};
  co_return web::RenderRestore(page.visit.Frame(), shown);
}

// Leads to the version's page.
Task<Outcome> Restore(RestorersPage& page) {
  const web::VersionName name = page.managed->Name();
  const std::string reason = page.form.Get("reason");
  if (reason.empty()) page.errors.Add("reason", "required");
  if (!page.errors.empty()) co_return kFormAgain;
  const Status done = co_await RestoreManaged(page.call, *page.managed, reason);
  if (!done) co_return RejectedRemark(page, name, "reason", done.error());
  LogManaged(page, "restored", name, "reason", reason);
  co_return page.Done(web::VersionFormPath(name), "version_restored", name.version);
}

}  // namespace

std::span<const Route> VersionFormRoutes() {
  static constexpr Route kRoutes[] = {
      PageRow<ShowDeprecation>("/providers/{namespace}/{type}/{version}/deprecate",
                               "Show the form to deprecate a provider version"),
      FormRow<ShowDeprecation, Deprecate>("/providers/{namespace}/{type}/{version}/deprecate",
                                          "Deprecate a provider version, or undo its deprecation"),
      PageRow<ShowWithdrawal>("/providers/{namespace}/{type}/{version}/withdraw",
                              "Show the form to withdraw a provider version, with its consumers"),
      FormRow<ShowWithdrawal, Withdraw>("/providers/{namespace}/{type}/{version}/withdraw",
                                        "Withdraw a provider version"),
      PageRow<ShowRestoration>("/providers/{namespace}/{type}/{version}/restore",
                               "Show the form to restore a withdrawn provider version"),
      FormRow<ShowRestoration, Restore>("/providers/{namespace}/{type}/{version}/restore",
                                        "Restore a withdrawn provider version"),
      PageRow<ShowDeprecation>("/modules/{namespace}/{name}/{system}/{version}/deprecate",
                               "Show the form to deprecate a module version"),
      FormRow<ShowDeprecation, Deprecate>(
          "/modules/{namespace}/{name}/{system}/{version}/deprecate",
          "Deprecate a module version, or undo its deprecation"),
      PageRow<ShowWithdrawal>("/modules/{namespace}/{name}/{system}/{version}/withdraw",
                              "Show the form to withdraw a module version, with its consumers"),
      FormRow<ShowWithdrawal, Withdraw>("/modules/{namespace}/{name}/{system}/{version}/withdraw",
                                        "Withdraw a module version"),
      PageRow<ShowRestoration>("/modules/{namespace}/{name}/{system}/{version}/restore",
                               "Show the form to restore a withdrawn module version"),
      FormRow<ShowRestoration, Restore>("/modules/{namespace}/{name}/{system}/{version}/restore",
                                        "Restore a withdrawn module version"),
  };
  return kRoutes;
}

}  // namespace koya::api
