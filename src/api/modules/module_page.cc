// The page of a module, and its twins for programs: .json and .md.
#include <algorithm>
#include <array>
#include <utility>

#include "api/common/page_answer.h"
#include "api/common/provenance.h"
#include "api/common/representations.h"
#include "api/modules/module_tabs.h"
#include "api/modules/module_visit.h"
#include "api/route_tables.h"
#include "service/modules/module_answers.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

// Names of tabs that readers may look for without a version.
constexpr std::array<std::string_view, 11> kTabNames{
    "inputs",   "outputs", "resources", "dependencies", "submodules", "examples",
    "versions", "changes", "usage",     "used-by",      "files"};

std::string TwinJson(const Call& call, const ModulePageContext& visit) {
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
      .deprecation = record.deprecation};
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
  auto make = [&call, &visit, twin] {
    return twin == Representation::kJson ? TwinJson(call, visit) : web::ModuleMarkdown(visit.page);
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
  };
  return kRoutes;
}

}  // namespace koya::api
