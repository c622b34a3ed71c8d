// The page of a module, its twins for programs (.json and .md), and the tabs of a version. What
// they show: web/modules/module_pages.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/common/audience.h"
#include "api/common/page_answer.h"
#include "api/common/page_form.h"
#include "api/common/paging.h"
#include "api/common/provenance.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "api/common/usage_documents.h"
#include "api/modules/module_visit.h"
#include "api/providers/attachments.h"
#include "domain/usage_record.h"
#include "service/common/verdict_document.h"
#include "service/modules/module_comparison.h"
#include "service/modules/module_metadata.h"
#include "service/usage/usage.h"
#include "service/usage/usage_report.h"
#include "wire/comparison.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

std::string QueryText(Result<std::optional<std::string>> value) {
  return value && *value ? **std::move(value) : std::string();
}

// ---- README

// Compares the version with the one before it, for the details on the card of changes.
Task<void> CompareWithBefore(Call& call, ModulePageContext& visit) {
  const ModuleVersionRecord* before = visit.page.before();
  const ModuleVersionRecord& shown = *visit.page.record;
  if (before == nullptr || web::StepSince(shown, before)) co_return Status();
  Result<service::SharedComparison> comparison = co_await call.services.modules.comparison.Compare(
      shown.address, before->version, shown.version, call.reading);
  if (!comparison) co_return Status();
  auto own = std::ranges::find(visit.versions, shown.version, &ModuleVersionRecord::version);
  own->step = service::ShortStep(**comparison);
  co_return Status();
}

Task<std::string> RenderReadmeTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  CO_RETURN_IF_ERROR(co_await CompareWithBefore(call, visit));
  const ModuleVersionRecord& record = *visit.page.record;
  ASSIGN_OR_CO_RETURN(visit.page.attachments,
                      co_await ShowAttachments(call, {record.address, record.version}));
  auto render = [&page, &visit] { return web::RenderModuleReadme(page.frame, visit.page); };
  co_return co_await RenderAside(call, render);
}

// ---- inputs, outputs

Result<web::ModuleFilterForm> ReadFilterForm(const http::Request& request) {
  ASSIGN_OR_RETURN(std::optional<std::string> query, QueryParameter(request.query, "q"));
  ASSIGN_OR_RETURN(std::optional<std::string> sort, QueryParameter(request.query, "sort"));
  return web::ModuleFilterForm{.query = std::move(query).value_or(""),
                               .order = web::ParseModuleOrder(sort.value_or(""))};
}

// The version that is shown and those before it.
std::vector<ModuleVersionRecord> ShownAndBefore(const ModulePageContext& visit) {
  std::vector<ModuleVersionRecord> versions;
  web::ModulePage at = visit.page;
  while (at.record != nullptr && versions.size() <= service::kMostVersionsBefore) {
    versions.push_back(*at.record);
    at.record = at.before();
  }
  return versions;
}

// Adds since when the shown inputs and outputs exist.
Task<void> AddHistory(Call& call, ModulePageContext& visit) {
  if (!visit.contents) co_return Status();
  ASSIGN_OR_CO_RETURN(
      service::InputHistory history,
      co_await service::FindInputHistory(call.services.modules.insides, call.reading,
                                         visit.contents, ShownAndBefore(visit)));
  visit.page.added_in = std::move(history.added_in);
  visit.page.default_since = std::move(history.default_since);
  visit.page.outputs_added_in = std::move(history.outputs_added_in);
  co_return Status();
}

Task<std::string> RenderInputsTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  ASSIGN_OR_CO_RETURN(web::ModuleFilterForm form, ReadFilterForm(call.request()));
  CO_RETURN_IF_ERROR(co_await AddHistory(call, visit));
  auto render = [&] { return web::RenderModuleInputs(page.frame, visit.page, form); };
  co_return co_await RenderAside(call, render);
}

Task<std::string> RenderOutputsTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  ASSIGN_OR_CO_RETURN(web::ModuleFilterForm form, ReadFilterForm(call.request()));
  CO_RETURN_IF_ERROR(co_await AddHistory(call, visit));
  auto render = [&] { return web::RenderModuleOutputs(page.frame, visit.page, form); };
  co_return co_await RenderAside(call, render);
}

// ---- versions

Task<std::string> RenderVersionsTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  const std::string_view query = call.request().query;
  web::ModuleVersionsForm form;
  ASSIGN_OR_CO_RETURN(std::optional<std::string> constraint, QueryParameter(query, "constraint"));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> by, QueryParameter(query, "by"));
  ASSIGN_OR_CO_RETURN(form.number, QueryNumber(query, "page", 1));
  form.constraint = std::move(constraint).value_or("");
  form.by_date = by == "date";
  if (!form.constraint.empty()) {
    auto allowed = VersionConstraint::Parse(form.constraint, ConstraintStyle::kModule);
    if (!allowed) {
      form.problem = std::move(allowed).error().message;
    } else {
      form.allowed = *std::move(allowed);
    }
  }
  const UsageItem item = UsageItem::OfAll(visit.page.record->address);
  service::UsageQuestion question{.kind = item.kind, .address = item.address, .ns = item.ns};
  Result<service::UsageReport> report = co_await call.services.usage.reports.Report(
      auth::Principal(), std::move(question), service::UsageBy::kVersion);
  if (report) {
    for (const service::UsageLine& line : report->lines) {
      form.fetches[line.version] = line.counts.fetches;
    }
  }
  auto render = [&] { return web::RenderModuleVersions(page.frame, visit.page, form); };
  co_return co_await RenderAside(call, render);
}

// ---- used by

Task<std::string> RenderUsedByTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  const ModuleAddress& address = visit.page.record->address;
  const UsageItem item = UsageItem::OfAll(address);
  PageRequest part{.offset = 0, .limit = web::UsedByPage::kMostRows};
  web::UsedByPage shown{.used = {},
                        .package = web::ModuleAddressPath(address),
                        .path = web::ModuleTabPath(visit.page, "used-by"),
                        .command = "koya usage used-by " + address.ToString()};
  service::UsageQuestion question{
      .kind = item.kind, .address = item.address, .ns = item.ns, .days = shown.days};
  ASSIGN_OR_CO_RETURN(part.offset, ReadPartOffset(call, part.limit));
  ASSIGN_OR_CO_RETURN(
      shown.used, co_await ReadUsedBy(call, std::move(question), VersionsIn(visit.versions), part));
  co_return web::RenderModuleUsedBy(page.frame, visit.page, shown);
}

// ---- the form that writes a block

Task<std::string> RenderUsageTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  web::ModuleUsageForm form;
  if (visit.contents) {
    for (const std::string& name : web::ModuleInputNames(visit.page)) {
      std::string value = QueryText(QueryParameter(call.request().query, name));
      form.filled = form.filled || !value.empty();
      form.values.emplace(name, std::move(value));
    }
  }
  auto render = [&] { return web::RenderModuleUsage(page.frame, visit.page, form); };
  co_return co_await RenderAside(call, render);
}

// Shows the README and the cards beside it. Fails: as AnswerModuleTab.
Task<http::Response> ShowModuleReadme(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderReadmeTab, CachePolicy::kMinute);
}

Task<http::Response> ShowModuleInputs(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderInputsTab, CachePolicy::kUntilChange);
}

Task<http::Response> ShowModuleOutputs(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderOutputsTab, CachePolicy::kUntilChange);
}

Task<http::Response> ShowModuleVersions(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderVersionsTab, CachePolicy::kMinute);
}

Task<http::Response> ShowModuleUsedBy(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderUsedByTab, CachePolicy::kUnkept);
}

Task<http::Response> ShowModuleUsage(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderUsageTab, CachePolicy::kUntilChange);
}

// Names of tabs that readers may look for without a version.
constexpr std::array<std::string_view, 11> kTabNames{
    "inputs",   "outputs", "resources", "dependencies", "submodules", "examples",
    "versions", "changes", "usage",     "used-by",      "files"};

std::string TwinJson(const Call& call, const ModulePageContext& visit,
                     const std::vector<wire::Attachment>& attachments) {
  const ModuleVersionRecord& record = *visit.page.record;
  wire::ModuleDetails details{
      .ns = record.address.ns(),
      .name = record.address.name(),
      .system = record.address.system(),
      .version = record.version.ToString(),
      .owner = record.published_by,
      .description = record.description,
      .source = std::string(call.services.host()) + "/" + record.address.ToString(),
      .published_at = FormatRfc3339(record.published_at),
      .downloads = visit.page.fetches.value_or(0),
      .versions = {},
      .provenance = ProvenanceToWire(record.provenance),
      .systems = {},
      .deprecation = record.deprecation,
      .attachments = attachments,
      .visibility = std::string(VisibilityName(call.visibility)),
      .source_url = visit.page.source.url};
  // Of the module itself, and not of one of its versions.
  if (visit.page.by_latest) {
    for (const ModuleVersionRecord& each : visit.versions) {
      details.versions.push_back(each.version.ToString());
    }
  }
  return wire::EncodeModuleDetails(details,
                                   visit.contents ? service::TellWider(visit.contents) : "");
}

Task<http::Response> AnswerTwin(Call& call, const ModulePageContext& visit, Representation twin) {
  const ModuleVersionRecord& record = *visit.page.record;
  ASSIGN_OR_CO_RETURN(const std::vector<wire::Attachment> attachments,
                      co_await ListAttachments(call, {record.address, record.version}));
  auto make = [&] {
    return twin == Representation::kJson ? TwinJson(call, visit, attachments)
                                         : web::ModuleMarkdown(visit.page);
  };
  ASSIGN_OR_CO_RETURN(std::string text, co_await RenderAside(call, make));
  co_return twin == Representation::kJson ? JsonRepresentationReply(std::move(text))
                                          : MarkdownReply(std::move(text));
}

// The newest version; ".json" and ".md" behind the system or version are the same for programs.
Task<http::Response> ShowModule(Call& call) {
  const auto [system, twin] = ReadRepresentation(call.path("system"));
  if (twin == Representation::kPage) co_return co_await ShowModuleReadme(call);
  PageAnswer page(call);
  ASSIGN_OR_CO_RETURN(ModuleLookUp found, co_await LookUpModule(call, system, "", Making::kAnswer));
  if (found.absence) co_return co_await AnswerAbsence(page, *found.absence);
  co_return co_await AnswerTwin(call, *found.visit, twin);
}

Task<http::Response> ShowModuleVersion(Call& call) {
  const auto [version, twin] = ReadRepresentation(call.path("version"));
  if (std::ranges::find(kTabNames, call.path("version")) != kTabNames.end()) {
    PageAnswer page(call);
    ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
    co_return page.GoTo(web::ModuleAddressPath(address) + "/latest/" + std::string(version));
  }
  if (twin == Representation::kPage) co_return co_await ShowModuleReadme(call);
  PageAnswer page(call);
  // A version that is called so wins: "1.0.0-rc.md".
  Result<ModuleLookUp> whole = co_await LookUpModule(call, VersionText(call));
  if (whole && whole->visit) co_return co_await ShowModuleReadme(call);
  ASSIGN_OR_CO_RETURN(ModuleLookUp found,
                      co_await LookUpModule(call, std::string(version), Making::kAnswer));
  if (found.absence) co_return co_await AnswerAbsence(page, *found.absence);
  co_return co_await AnswerTwin(call, *found.visit, twin);
}

}  // namespace

// Pages of modules. A version that is not here has a page that names others.
std::span<const Route> ModulePageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/modules/{namespace}/{name}/{system}", Access::kBrowse, ResourceScope::kNamespace,
                 ShowModule, "Show a module's newest version", KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}", Access::kBrowse,
                 ResourceScope::kNamespace, ShowModuleVersion, "Show a module version", KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/inputs", Access::kBrowse,
                 ResourceScope::kNamespace, ShowModuleInputs, "Show a module's inputs", KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/outputs", Access::kBrowse,
                 ResourceScope::kNamespace, ShowModuleOutputs, "Show a module's outputs", KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/versions", Access::kBrowse,
                 ResourceScope::kNamespace, ShowModuleVersions, "Show all versions of a module",
                 KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/usage", Access::kBrowse,
                 ResourceScope::kNamespace, ShowModuleUsage,
                 "Show a form that generates a module block", KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/used-by", Access::kBrowse,
                 ResourceScope::kNamespace, ShowModuleUsedBy, "Show the consumers of a module",
                 KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
