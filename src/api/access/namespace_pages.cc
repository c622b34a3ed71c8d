// A namespace, for people.
#include "web/access/namespace_page.h"

#include <algorithm>
#include <utility>

#include "api/common/listed_hits.h"
#include "api/common/owners.h"
#include "api/common/page_answer.h"
#include "api/common/paging.h"
#include "api/route_tables.h"
#include "domain/module_record.h"
#include "domain/namespace_name.h"
#include "domain/provider_record.h"
#include "service/access/namespaces.h"
#include "service/modules/modules.h"
#include "service/providers/providers.h"
#include "web/common/package_paths.h"

namespace koya::api {
namespace {

constexpr std::uint64_t kModulesShown = 20;
constexpr std::uint64_t kProvidersShown = 20;

// The name in the letter case of the packages in it.
std::string ShownName(const Page<ModuleSummary>& modules, const Page<ProviderSummary>& providers,
                      std::string name) {
  if (!modules.items.empty()) return modules.items.front().address.ns();
  if (!providers.items.empty()) return providers.items.front().address.ns();
  return name;
}

Task<web::NamespacePage> FindNamespacePage(Call& call, std::string name, std::uint64_t offset) {
  ModuleFilter modules;
  modules.ns = name;
  modules.readable = call.Readable();
  ASSIGN_OR_CO_RETURN(Page<ModuleSummary> listed,
                      co_await call.services.modules.published.List(
                          std::move(modules), {.offset = offset, .limit = kModulesShown}));
  ProviderFilter providers;
  providers.ns = name;
  providers.readable = call.Readable();
  ASSIGN_OR_CO_RETURN(Page<ProviderSummary> provided,
                      co_await call.services.providers.published.List(std::move(providers),
                                                                      {.limit = kProvidersShown}));
  ASSIGN_OR_CO_RETURN(service::NamespaceState state,
                      co_await call.services.rights.namespaces.FindNamespace(name));
  const bool nothing = listed.items.empty() && provided.items.empty();
  if (nothing && !state.recorded) {
    co_return Fail(ErrorKind::kNotFound, "there is no such namespace");
  }
  ASSIGN_OR_CO_RETURN(NamespaceWords words, co_await call.services.rights.namespaces.Words(name));
  NamespaceOwners owners = co_await OwnersFor(call, name);
  co_return web::NamespacePage{.name = ShownName(listed, provided, std::move(name)),
                               .url = call.services.url,
                               .visibility = state.visibility,
                               .words = std::move(words),
                               .owners = std::move(owners),
                               .modules = HitsOf(listed.items),
                               .part = {.offset = offset,
                                        .shown = listed.items.size(),
                                        .size = kModulesShown,
                                        .more = listed.more},
                               .providers = HitsOf(provided.items),
                               .has_more_providers = provided.more};
}

Task<http::Response> ShowNamespacePage(Call& call) {
  PageAnswer page(call);
  Result<std::string> name = ParseNamespaceName(call.path("namespace"));
  if (!name) co_return Fail(ErrorKind::kNotFound, "there is no such namespace");
  ASSIGN_OR_CO_RETURN(std::uint64_t offset, ReadPartOffset(call, kModulesShown));
  ASSIGN_OR_CO_RETURN(web::NamespacePage shown,
                      co_await FindNamespacePage(call, *std::move(name), offset));
  const bool signed_in = !page.frame.account.empty();
  shown.may_publish =
      signed_in && call.principal.RequireNamespace(shown.name, Role::kPublisher).has_value();
  shown.is_owner = signed_in && call.principal.RequireNamespace(shown.name).has_value();
  shown.audience = call.services.identity.audience;
  page.frame.canonical = web::NamespacePath(shown.name);
  page.frame.feed = web::FeedPath(shown.name);
  // TitleText makes one line of it.
  page.frame.description =
      shown.words.description.empty() ? shown.words.title : shown.words.description;
  co_return co_await page.SendBriefly(web::RenderNamespace(page.frame, shown));
}

}  // namespace

// A namespace, for people.
std::span<const Route> NamespacePageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/namespaces/{namespace}", Access::kBrowse, ResourceScope::kNamespace,
                 ShowNamespacePage, "Show a namespace", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
