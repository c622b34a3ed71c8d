#include "api/common/route.h"

#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/listed_hits.h"
#include "api/common/package_urls.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/providers/attachments.h"
#include "api/providers/provider_documents.h"
#include "domain/topic.h"
#include "service/providers/providers.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

Task<http::Response> ReplyWithPage(Call& call, ProviderFilter filter) {
  ASSIGN_OR_CO_RETURN(PageRequest page, ReadPage(call));
  filter.readable = call.Readable();
  ASSIGN_OR_CO_RETURN(std::optional<std::string> ns,
                      QueryParameter(call.request().query, "namespace"));
  if (ns && filter.ns.empty()) filter.ns = *std::move(ns);
  ASSIGN_OR_CO_RETURN(Page<ProviderSummary> found,
                      co_await call.services.providers.published.List(std::move(filter), page));
  wire::ProviderList list;
  CO_RETURN_IF_ERROR(DescribePage(call, page, found.more, list));
  for (const ProviderSummary& item : found.items) {
    wire::ProviderDetails details;
    details.ns = item.address.ns();
    details.type = item.address.type();
    details.version = item.latest.ToString();
    details.source = SourceAddress(call.services.host(), item.address);
    details.published_at = FormatRfc3339(item.published_at);
    details.deprecated = item.deprecated;
    ASSIGN_OR_CO_RETURN(const Visibility visibility,
                        co_await FindVisibility(call, item.address.ns()));
    details.visibility = VisibilityName(visibility);
    list.providers.push_back(std::move(details));
  }
  co_return PageReply(call, wire::EncodeProviderList(list));
}

Task<Rendering> RenderLatest(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> releases,
                      co_await call.services.providers.published.ListVersions(address));
  Version latest = service::Latest(releases).version;
  ASSIGN_OR_CO_RETURN(ProviderRelease release,
                      co_await call.services.providers.published.FindVersion(std::move(address),
                                                                             std::move(latest)));
  wire::ProviderDetails details = DetailsOf(release, call.visibility);
  ASSIGN_OR_CO_RETURN(details.attachments,
                      co_await ListAttachments(call, {release.address, release.version}));
  for (const ReleaseSummary& each : releases) details.versions.push_back(each.version.ToString());
  rendering.weight = releases.size();
  rendering.encode = [details = std::move(details)](const Links& /*links*/) {
    return wire::Encode(details);
  };
  co_return rendering;
}

Task<Rendering> RenderProviderVersion(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(ProviderRelease release,
                      co_await call.services.providers.published.FindVersion(std::move(address),
                                                                             std::move(version)));
  wire::ProviderDetails details = DetailsOf(release, call.visibility);
  ASSIGN_OR_CO_RETURN(details.attachments,
                      co_await ListAttachments(call, {release.address, release.version}));
  rendering.encode = [details = std::move(details)](const Links& /*links*/) {
    return wire::Encode(details);
  };
  co_return rendering;
}

Task<http::Response> ListProviders(Call& call) {
  ProviderFilter filter;
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> SearchProviders(Call& call) {
  ASSIGN_OR_CO_RETURN(std::optional<std::string> words, QueryParameter(call.request().query, "q"));
  if (!words || words->empty()) {
    co_return FailInvalid("the parameter \"q\" is missing: /v1/providers/search?q=cloud");
  }
  ProviderFilter filter;
  filter.query = *std::move(words);
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> ListProvidersOfNamespace(Call& call) {
  CO_RETURN_IF_ERROR(CheckListedName(call.path("namespace")));
  ProviderFilter filter;
  filter.ns = call.path("namespace");
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> GetLatestProvider(Call& call) {
  co_return co_await CachedDocument(call, "", RenderLatest);
}

Task<http::Response> GetProviderVersion(Call& call) {
  co_return co_await CachedDocument(call, "", RenderProviderVersion);
}

}  // namespace

// The wider provider API.
std::span<const Route> ProviderListingRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/v1/providers", Access::kRead, ResourceScope::kListing, ListProviders,
                 "List providers in order of address"),
      Route::Get("/v1/providers/search", Access::kRead, ResourceScope::kListing, SearchProviders,
                 "Search providers that contain every word"),
      Route::Get("/v1/providers/{namespace}", Access::kRead, ResourceScope::kListing,
                 ListProvidersOfNamespace, "List the providers of a namespace"),
      Route::Get("/v1/providers/{namespace}/{type}", Access::kRead, ResourceScope::kNamespace,
                 GetLatestProvider, "Get a provider's latest version and all version numbers",
                 KeptDocument),
      Route::Get("/v1/providers/{namespace}/{type}/{version}", Access::kRead,
                 ResourceScope::kNamespace, GetProviderVersion, "Get a provider version",
                 KeptDocument),
  };
  return kRoutes;
}

}  // namespace koya::api
