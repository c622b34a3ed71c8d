// Tabs that show more than one version, or other packages, too: changes, dependencies, resources.
#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/page_answer.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "api/modules/module_visit.h"
#include "api/providers/mirror_page_data.h"
#include "domain/topic.h"
#include "service/access/namespaces.h"
#include "service/common/verdict_document.h"
#include "service/mirror/inventory.h"
#include "service/mirror/module_mirror.h"
#include "service/mirror/pull_policy.h"
#include "service/modules/module_comparison.h"
#include "service/modules/modules.h"
#include "service/providers/docs_pages.h"
#include "service/providers/provider_docs.h"
#include "service/providers/providers.h"
#include "web/providers/provider_pages.h"

namespace koya::api {
namespace {

// ---- changes

struct AskedChanges {
  web::ModuleChangesForm form;
  std::optional<Version> from;
  std::optional<Version> to;
};

// What the query says, or the version that is shown and the one before it.
Result<AskedChanges> ReadAskedChanges(const http::Request& request,
                                      const ModulePageContext& visit) {
  ASSIGN_OR_RETURN(std::optional<std::string> from, QueryParameter(request.query, "from"));
  ASSIGN_OR_RETURN(std::optional<std::string> to, QueryParameter(request.query, "to"));
  const ModuleVersionRecord* before = visit.page.before();
  AskedChanges asked;
  asked.form.from = from.value_or(before == nullptr ? "" : before->version.ToString());
  asked.form.to = to.value_or(visit.page.record->version.ToString());
  if (asked.form.from.empty() && !from) return asked;
  for (auto& [text, version] :
       {std::pair(&asked.form.from, &asked.from), std::pair(&asked.form.to, &asked.to)}) {
    Result<Version> parsed = Version::ParseLookup(*text);
    if (!parsed) {
      asked.form.problem = std::move(parsed).error().message;
    } else {
      *version = *std::move(parsed);
    }
  }
  return asked;
}

// Returns the status of the page.
Task<unsigned> CompareAsked(Call& call, const ModulePageContext& visit, AskedChanges& asked) {
  constexpr unsigned kBadRequest = 400;
  if (!asked.form.problem.empty()) co_return kBadRequest;
  if (!asked.from || !asked.to) co_return 200U;
  Result<service::SharedComparison> comparison = co_await call.services.modules.comparison.Compare(
      visit.page.record->address, *asked.from, *asked.to, call.reading);
  if (!comparison && service::IsTurnedAway(comparison.error())) {
    co_return Failure(std::move(comparison).error());
  }
  if (!comparison) {
    asked.form.problem = comparison.error().message;
    co_return StatusFor(comparison.error().kind);
  }
  asked.form.compared = true;
  asked.form.from = (*comparison)->from;
  asked.form.to = (*comparison)->to;
  asked.form.step = service::ShortStep(**comparison);
  asked.form.changes = (*comparison)->changes;
  co_return 200U;
}

// The same for the files of the versions.
Task<unsigned> CompareSources(Call& call, const ModulePageContext& visit, AskedChanges& asked) {
  constexpr unsigned kBadRequest = 400;
  if (!asked.form.problem.empty()) co_return kBadRequest;
  if (!asked.from || !asked.to) co_return 200U;
  Result<service::SharedSourceDiff> diff = co_await call.services.modules.comparison.CompareSources(
      visit.page.record->address, *asked.from, *asked.to, call.reading);
  if (!diff && service::IsTurnedAway(diff.error())) co_return Failure(std::move(diff).error());
  if (!diff) {
    asked.form.problem = diff.error().message;
    co_return StatusFor(diff.error().kind);
  }
  asked.form.from = (*diff)->from;
  asked.form.to = (*diff)->to;
  asked.form.source = *std::move(diff);
  co_return 200U;
}

// ---- dependencies

// True if the caller may read a namespace.
Task<bool> MayKnow(Call& call, const std::string& ns) {
  Result<service::NamespaceState> state =
      co_await call.services.rights.namespaces.FindNamespace(ns);
  co_return state&& call.principal.MayRead(ns, state->visibility);
}

bool IsOwnHostName(const Call& call, std::string_view host) {
  Result<HostName> parsed = HostName::ParseWire(host);
  return parsed && call.services.IsOwn(*parsed);
}

// "HOST/REST" of this server: REST; else "".
std::string_view OwnAddress(const Call& call, std::string_view address) {
  const std::size_t slash = address.find('/');
  if (slash == address.npos || !IsOwnHostName(call, address.substr(0, slash))) return {};
  return address.substr(slash + 1);
}

template <class Versions>
std::string NewestAllowed(const Versions& versions, std::string_view constraint,
                          ConstraintStyle style) {
  Result<VersionConstraint> allowed = VersionConstraint::Parse(constraint, style);
  if (!allowed) return {};
  for (const auto& each : versions) {
    if (allowed->Allows(each.version)) return each.version.ToString();
  }
  return {};
}

// "HOST/NAMESPACE/TYPE", or "HOST/NAMESPACE/NAME/SYSTEM", of another registry.
template <class Thing, class Address>
std::optional<Thing> FindElsewhere(const Call& call, std::string_view address) {
  const std::size_t slash = address.find('/');
  if (slash == address.npos) return std::nullopt;
  Result<HostName> host = HostName::ParseWire(address.substr(0, slash));
  Result<Address> rest = Address::Parse(address.substr(slash + 1));
  if (!host || !rest || call.services.IsOwn(*host)) return std::nullopt;
  return Thing{*std::move(host), *std::move(rest)};
}

// The verdict of the mirror's rules on another registry's module or provider, whose page explains
// it to callers who may use the mirror.
template <class Thing>
web::ResolvedNeed JudgeElsewhere(const Call& call, const Thing& thing) {
  web::ResolvedNeed need;
  const service::PullPolicy& policy = call.services.mirror.policy;
  service::PullVerdict verdict = policy.EvaluateRules(thing);
  need.verdict = VerdictOf(verdict, policy.MayPull(thing.host));
  need.rule = std::move(verdict.rule);
  need.is_mirrored = *need.verdict == web::ShownVerdict::kAllowed;
  if (need.is_mirrored) need.path = web::PathWith("/-/mirror/explain", "address", thing.Key());
  return need;
}

// The versions in the mirror, and the verdict of its rules. Does not ask upstream.
Task<web::ResolvedNeed> ResolveMirrored(Call& call, UpstreamProvider provider,
                                        std::string constraint) {
  if (!call.principal.MayRead("", call.services.access.mirror)) co_return web::ResolvedNeed();
  web::ResolvedNeed need = JudgeElsewhere(call, provider);
  ASSIGN_OR_CO_RETURN(std::vector<Version> kept,
                      co_await call.services.mirror.inventory.ListVersions(provider));
  if (kept.empty()) co_return need;
  need.path = web::ProviderPath(
      web::ProviderName{provider.host.ascii(), provider.address.ns(), provider.address.type()});
  Result<VersionConstraint> allowed =
      VersionConstraint::Parse(constraint, ConstraintStyle::kProvider);
  if (!allowed) co_return need;
  const auto newest = std::ranges::find_if(
      kept, [&allowed](const Version& version) { return allowed->Allows(version); });
  if (newest != kept.end()) need.version = newest->ToString();
  co_return need;
}

// Published here, for this reader.
struct ProviderHere {
  ProviderAddress address;
  std::vector<ReleaseSummary> releases;  // newest first, at least one
};

// Nothing: there is none, or not for this reader.
Task<std::optional<ProviderHere>> FindProviderHere(Call& call, std::string address) {
  std::optional<ProviderHere> here;
  Result<ProviderAddress> parsed = ProviderAddress::Parse(OwnAddress(call, address));
  if (!parsed) co_return here;
  ASSIGN_OR_CO_RETURN(bool known, co_await MayKnow(call, parsed->ns()));
  if (!known) co_return here;
  auto releases = co_await call.services.providers.published.ListVersions(*parsed);
  if (releases) here.emplace(*std::move(parsed), *std::move(releases));
  co_return here;
}

Task<web::ResolvedNeed> ResolveProvider(Call& call, std::string address, std::string constraint) {
  if (auto elsewhere = FindElsewhere<UpstreamProvider, ProviderAddress>(call, address)) {
    co_return co_await ResolveMirrored(call, *std::move(elsewhere), std::move(constraint));
  }
  web::ResolvedNeed need;
  ASSIGN_OR_CO_RETURN(std::optional<ProviderHere> here, co_await FindProviderHere(call, address));
  if (!here) co_return need;
  need.path = "/providers/" + here->address.ToString();
  need.version = NewestAllowed(here->releases, constraint, ConstraintStyle::kProvider);
  co_return need;
}

Task<web::ResolvedNeed> ResolveModule(Call& call, std::string address, std::string constraint) {
  web::ResolvedNeed need;
  if (auto elsewhere = FindElsewhere<UpstreamModule, ModuleAddress>(call, address)) {
    const bool mirrors = call.services.mirror.modules.on() &&
                         call.principal.MayRead("", call.services.access.mirror);
    co_return mirrors ? JudgeElsewhere(call, *elsewhere) : need;
  }
  Result<ModuleAddress> parsed = ModuleAddress::Parse(OwnAddress(call, address));
  if (!parsed) co_return need;
  ASSIGN_OR_CO_RETURN(bool known, co_await MayKnow(call, parsed->ns()));
  if (!known) co_return need;
  auto versions = co_await call.services.modules.published.ListVersions(*parsed);
  if (!versions) co_return need;
  need.path = web::ModuleAddressPath(versions->front().address);
  need.version = NewestAllowed(*versions, constraint, ConstraintStyle::kModule);
  co_return need;
}

// The most dependencies that are looked up; a module with more lists the others without a result.
constexpr std::size_t kMostResolved = 40;

Task<std::string> RenderDependenciesTab(Call& call, const PageAnswer& page,
                                        ModulePageContext& visit) {
  web::ModuleNeeds needs;
  const std::vector<web::ModuleNeedAddress> wanted = web::ModuleNeedAddresses(visit.page);
  for (std::size_t i = 0; i < std::min(wanted.size(), kMostResolved); ++i) {
    const web::ModuleNeedAddress& each = wanted[i];
    if (each.is_provider) {
      ASSIGN_OR_CO_RETURN(web::ResolvedNeed need,
                          co_await ResolveProvider(call, each.address, each.constraint));
      needs.providers.push_back(std::move(need));
    } else if (!each.local_path.empty()) {
      needs.modules.push_back({.path = each.local_path, .version = ""});
    } else {
      ASSIGN_OR_CO_RETURN(web::ResolvedNeed need,
                          co_await ResolveModule(call, each.address, each.constraint));
      needs.modules.push_back(std::move(need));
    }
  }
  auto render = [&] { return web::RenderModuleDependencies(page.frame, visit.page, needs); };
  co_return co_await RenderAside(call, render);
}

// ---- resources

// The documentation of the newest release of a provider that is published here; nothing: there is
// none, or not for this reader.
Task<std::optional<web::ProviderDocsHere>> FindDocsHere(Call& call, std::string address) {
  std::optional<web::ProviderDocsHere> docs;
  ASSIGN_OR_CO_RETURN(std::optional<ProviderHere> here,
                      co_await FindProviderHere(call, std::move(address)));
  if (!here) co_return docs;
  const auto is_release = [](const ReleaseSummary& each) { return !each.version.is_prerelease(); };
  auto newest = std::ranges::find_if(here->releases, is_release);
  if (newest == here->releases.end()) newest = here->releases.begin();
  auto index =
      co_await call.services.providers.docs.Index(here->address, newest->version, call.reading);
  if (!index || index->empty()) co_return docs;
  const web::ProviderName name{"", here->address.ns(), here->address.type()};
  docs.emplace();
  docs->docs_path = web::ProviderVersionPath(name, newest->version.ToString()) + "/docs";
  for (service::DocEntry& each : *index) {
    docs->pages.emplace(std::move(each.name.kind), std::move(each.name.name));
  }
  co_return docs;
}

Task<std::string> RenderResourcesTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  // So many providers' documentation is looked for: few modules require more.
  constexpr std::size_t kMostDocumented = 8;
  if (visit.contents) {
    for (const inspect::Requirement& each : visit.contents->root.requirements) {
      if (visit.page.docs.size() == kMostDocumented) break;
      ASSIGN_OR_CO_RETURN(std::optional<web::ProviderDocsHere> docs,
                          co_await FindDocsHere(call, each.address));
      if (docs) visit.page.docs.emplace(each.address, *std::move(docs));
    }
  }
  auto render = [&page, &visit] { return web::RenderModuleResources(page.frame, visit.page); };
  co_return co_await RenderAside(call, render);
}

using CompareVersions = Task<unsigned> (*)(Call&, const ModulePageContext&, AskedChanges&);
using RenderCompared = std::string (*)(const web::PageFrame&, const web::ModulePage&,
                                       const web::ModuleChangesForm&);

template <CompareVersions kCompare, RenderCompared kRender>
Task<http::Response> ShowCompared(Call& call) {
  PageAnswer page(call);
  ASSIGN_OR_CO_RETURN(ModuleLookUp found, co_await LookUpModule(call, VersionText(call)));
  if (found.absence) co_return co_await AnswerAbsence(page, *found.absence);
  const ModulePageContext& visit = *found.visit;
  ASSIGN_OR_CO_RETURN(AskedChanges asked, ReadAskedChanges(call.request(), visit));
  ASSIGN_OR_CO_RETURN(unsigned status, co_await kCompare(call, visit, asked));
  auto render = [&] { return kRender(page.frame, visit.page, asked.form); };
  ASSIGN_OR_CO_RETURN(std::string html, co_await RenderAside(call, render));
  if (status != 200) co_return co_await page.SendUnkept(std::move(html), status);
  co_return co_await page.Send(std::move(html), ModuleTopic(visit.page.record->address));
}

Task<http::Response> ShowModuleDependencies(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderDependenciesTab, CachePolicy::kUnkept);
}

Task<http::Response> ShowModuleResources(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderResourcesTab, CachePolicy::kMinute);
}

}  // namespace

std::span<const Route> ModuleChangesPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/resources", Access::kBrowse,
                 ResourceScope::kNamespace, ShowModuleResources, "Show a module's resources",
                 KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/dependencies", Access::kBrowse,
                 ResourceScope::kNamespace, ShowModuleDependencies, "Show a module's dependencies",
                 KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/changes", Access::kBrowse,
                 ResourceScope::kNamespace, ShowCompared<CompareAsked, web::RenderModuleChanges>,
                 "Show the changes between two module versions", KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/changes/source", Access::kBrowse,
                 ResourceScope::kNamespace, ShowCompared<CompareSources, web::RenderModuleSource>,
                 "Show the changes in the source between two module versions", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
