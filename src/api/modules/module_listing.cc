#include "api/common/route.h"

#include <fmt/format.h>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/listed_hits.h"
#include "api/common/paging.h"
#include "api/common/provenance.h"
#include "api/common/query.h"
#include "api/common/repository_url.h"
#include "api/providers/attachments.h"
#include "domain/module_record.h"
#include "domain/topic.h"
#include "domain/usage_record.h"
#include "service/common/module_reading.h"
#include "service/modules/module_metadata.h"
#include "service/modules/modules.h"
#include "service/search/search.h"
#include "service/usage/usage.h"
#include "wire/modules.h"
#include "wire/usage.h"

namespace koya::api {
namespace {

wire::ModuleDetails Details(const Services& services, const ModuleAddress& address,
                            const Version& version, std::string description,
                            UnixSeconds published_at) {
  return {.ns = address.ns(),
          .name = address.name(),
          .system = address.system(),
          .version = version.ToString(),
          .owner = "",
          .description = std::move(description),
          .source = fmt::format("{}/{}", services.host(), address.ToString()),
          .published_at = FormatRfc3339(published_at),
          .downloads = 0,
          .versions = {}};
}

wire::ModuleDetails Details(const Services& services, const ModuleVersionRecord& record,
                            std::uint64_t downloads) {
  wire::ModuleDetails details =
      Details(services, record.address, record.version, record.description, record.published_at);
  details.downloads = downloads;
  details.owner = record.published_by;
  details.provenance = ProvenanceToWire(record.provenance);
  details.source = UrlOf(SourceOf(record));
  details.source_url = SourceUrl(SourceOf(record), details.provenance);
  details.deprecation = record.deprecation;
  details.deprecated = !record.deprecation.empty();
  return details;
}

// Counts are written every minute, without invalidating caches.
constexpr UnixSeconds kCountsFresh = 60;

// As counts know it.
std::string CountedAddress(const ModuleAddress& address) {
  return UsageItem::OfAll(address).address;
}

// Adds the filters that the query may carry: provider=, namespace=, and verified=, which nothing
// is. Returns whether anything can match.
Result<bool> ReadFilter(Call& call, ModuleFilter& filter) {
  std::string_view query = call.request().query;
  ASSIGN_OR_RETURN(std::optional<std::string> system, QueryParameter(query, "provider"));
  ASSIGN_OR_RETURN(std::optional<std::string> ns, QueryParameter(query, "namespace"));
  ASSIGN_OR_RETURN(std::optional<std::string> verified, QueryParameter(query, "verified"));
  if (system) filter.system = *std::move(system);
  if (ns && filter.ns.empty()) filter.ns = *std::move(ns);
  return verified != "true";
}

Task<http::Response> ReplyWithPage(Call& call, ModuleFilter filter) {
  ASSIGN_OR_CO_RETURN(PageRequest page, ReadPage(call));
  filter.readable = call.Readable();
  ASSIGN_OR_CO_RETURN(bool possible, ReadFilter(call, filter));
  Page<ModuleSummary> found;
  if (possible) {
    if (filter.query.empty()) {
      ASSIGN_OR_CO_RETURN(found,
                          co_await call.services.modules.published.List(std::move(filter), page));
    } else {
      ASSIGN_OR_CO_RETURN(found,
                          co_await call.services.search.index.FindModules(std::move(filter), page));
    }
  }
  wire::ModuleList list;
  CO_RETURN_IF_ERROR(DescribePage(call, page, found.more, list));
  std::vector<std::string> addresses;
  addresses.reserve(found.items.size());
  for (const ModuleSummary& item : found.items) addresses.push_back(CountedAddress(item.address));
  ASSIGN_OR_CO_RETURN(auto downloads, co_await call.services.usage.reports.Downloads(
                                          UsageKind::kModule, std::move(addresses)));
  for (ModuleSummary& item : found.items) {
    list.modules.push_back(Details(call.services, item.address, item.latest,
                                   std::move(item.description), item.published_at));
    list.modules.back().deprecated = item.deprecated;
    list.modules.back().downloads = downloads[CountedAddress(item.address)];
    ASSIGN_OR_CO_RETURN(const Visibility visibility,
                        co_await FindVisibility(call, item.address.ns()));
    list.modules.back().visibility = VisibilityName(visibility);
  }
  co_return PageReply(call, wire::EncodeModuleList(list));
}

// The complete details of a module: with all systems of its name, and its contents.
struct WholeDetails {
  wire::ModuleDetails details;
  service::SharedContents contents;  // null: could not be analyzed now
};

Task<std::vector<std::string>> SystemsOf(Call& call, const ModuleAddress& address) {
  constexpr std::uint64_t kMostSystems = 100;
  ModuleFilter filter;
  filter.ns = address.ns();
  filter.name = address.name();
  filter.readable = call.Readable();
  ASSIGN_OR_CO_RETURN(Page<ModuleSummary> found, co_await call.services.modules.published.List(
                                                     std::move(filter), {0, kMostSystems}));
  std::vector<std::string> systems;
  systems.reserve(found.items.size());
  for (const ModuleSummary& each : found.items) systems.push_back(each.address.system());
  co_return systems;
}

Task<WholeDetails> Whole(Call& call, const ModuleVersionRecord& record, std::uint64_t downloads) {
  WholeDetails whole{.details = Details(call.services, record, downloads), .contents = nullptr};
  whole.details.visibility = VisibilityName(call.visibility);
  ASSIGN_OR_CO_RETURN(whole.details.systems, co_await SystemsOf(call, record.address));
  ASSIGN_OR_CO_RETURN(whole.details.attachments,
                      co_await ListAttachments(call, {record.address, record.version}));
  // The details that are known do not wait for the contents.
  auto contents = co_await call.services.modules.insides.FindContents(
      service::ArchiveOf(record), call.reading,
      {.making = service::ContentsRequest::Making::kAnswer});
  if (!contents && service::IsTurnedAway(contents.error())) {
    co_return Failure(std::move(contents).error());
  }
  if (contents) whole.contents = *std::move(contents);
  co_return whole;
}

void Render(WholeDetails whole, std::size_t versions, Rendering& rendering) {
  constexpr std::size_t kInsideWeight = 100'000;  // of records: to be made on a worker
  rendering.weight = versions + (whole.contents ? kInsideWeight : 0);
  rendering.claimed = whole.contents != nullptr;
  rendering.encode = [whole = std::move(whole)](const Links& /*links*/) {
    std::string inside = whole.contents ? service::TellWider(whole.contents) : "";
    return wire::EncodeModuleDetails(whole.details, inside);
  };
}

Task<Rendering> RenderLatestModule(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  Rendering rendering{.topic = ModuleTopic(address)};
  const std::string counted = CountedAddress(address);
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> records,
                      co_await call.services.modules.published.ListVersions(std::move(address)));
  ASSIGN_OR_CO_RETURN(auto downloads, co_await call.services.usage.reports.Downloads(
                                          UsageKind::kModule, {counted}));
  rendering.options.fresh_until = call.services.clock.Now() + kCountsFresh;
  ASSIGN_OR_CO_RETURN(WholeDetails whole,
                      co_await Whole(call, service::Latest(records), downloads[counted]));
  for (const auto& record : records) {
    whole.details.versions.push_back(record.version.ToString());
    AddImported(record, whole.details.imported);
  }
  Render(std::move(whole), records.size(), rendering);
  co_return rendering;
}

Task<Rendering> RenderModuleVersion(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  Rendering rendering{.topic = ModuleTopic(address)};
  ASSIGN_OR_CO_RETURN(
      ModuleVersionRecord record,
      co_await call.services.modules.published.FindVersion(std::move(address), std::move(version)));
  ASSIGN_OR_CO_RETURN(std::uint64_t downloads, co_await call.services.usage.reports.DownloadsOf(
                                                   UsageItem::Of(record.address, record.version)));
  rendering.options.fresh_until = call.services.clock.Now() + kCountsFresh;
  ASSIGN_OR_CO_RETURN(WholeDetails whole, co_await Whole(call, record, downloads));
  Render(std::move(whole), 1, rendering);
  co_return rendering;
}

Task<Rendering> RenderModuleDownloads(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  Rendering rendering{.topic = ModuleTopic(address)};
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> records,
                      co_await call.services.modules.published.ListVersions(address));
  const UsageItem item = UsageItem::OfAll(address);
  ASSIGN_OR_CO_RETURN(service::DownloadSummary counts,
                      co_await call.services.usage.reports.Summarise(
                          {.kind = item.kind, .address = item.address, .ns = item.ns}));
  rendering.options.fresh_until = call.services.clock.Now() + kCountsFresh;
  wire::DownloadSummary summary;
  summary.data.id = records.front().address.ToString();
  summary.data.attributes = {counts.month, counts.total, counts.week, counts.year};
  rendering.encode = [summary = std::move(summary)](const Links& /*links*/) {
    return wire::Encode(summary);
  };
  co_return rendering;
}

Task<http::Response> ListModules(Call& call) {
  ModuleFilter filter;
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> SearchModules(Call& call) {
  ASSIGN_OR_CO_RETURN(std::optional<std::string> words, QueryParameter(call.request().query, "q"));
  if (!words || words->empty()) {
    co_return FailInvalid("the parameter \"q\" is missing: /v1/modules/search?q=vpc");
  }
  ModuleFilter filter;
  filter.query = *std::move(words);
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> ListModulesOfNamespace(Call& call) {
  CO_RETURN_IF_ERROR(CheckListedName(call.path("namespace")));
  ModuleFilter filter;
  filter.ns = call.path("namespace");
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> ListModulesOfName(Call& call) {
  CO_RETURN_IF_ERROR(CheckListedName(call.path("namespace")));
  CO_RETURN_IF_ERROR(CheckListedName(call.path("name")));
  ModuleFilter filter;
  filter.ns = call.path("namespace");
  filter.name = call.path("name");
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> GetLatestModule(Call& call) {
  co_return co_await CachedDocument(call, "", RenderLatestModule);
}

Task<http::Response> GetModuleVersion(Call& call) {
  co_return co_await CachedDocument(call, "", RenderModuleVersion);
}

// How often it was downloaded. Rebuilt after a minute.
Task<http::Response> GetModuleDownloads(Call& call) {
  co_return co_await CachedDocument(call, "", RenderModuleDownloads);
}

Task<http::Response> RedirectToLatestDownload(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord latest,
                      co_await call.services.modules.published.FindLatest(std::move(address)));
  http::Response reply;
  reply.status = 302;
  reply.fields = {{"Location", fmt::format("{}/v1/modules/{}/{}/download", call.services.url,
                                           latest.address.ToString(), latest.version.ToString())},
                  {"Cache-Control", "no-cache"}};
  co_return reply;
}

}  // namespace

// The wider module API that tools, pages and people read. Paging is limit and offset (15 unless
// asked, 100 at most); version lists are never paged.
std::span<const Route> ModuleListingRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/v1/modules", Access::kRead, ResourceScope::kListing, ListModules,
                 "List modules in order of address"),
      Route::Get("/v1/modules/search", Access::kRead, ResourceScope::kListing, SearchModules,
                 "Search modules"),
      Route::Get("/v1/modules/{namespace}", Access::kRead, ResourceScope::kListing,
                 ListModulesOfNamespace, "List the modules of a namespace"),
      Route::Get("/v1/modules/{namespace}/{name}", Access::kRead, ResourceScope::kListing,
                 ListModulesOfName, "List a module's latest version for each system"),
      Route::Get("/v1/modules/{namespace}/{name}/{system}", Access::kRead,
                 ResourceScope::kNamespace, GetLatestModule,
                 "Get a module's latest version and all version numbers", KeptDocument),
      Route::Get("/v1/modules/{namespace}/{name}/{system}/download", Access::kRead,
                 ResourceScope::kNamespace, RedirectToLatestDownload,
                 "Redirect (302) to the latest version's download"),
      Route::Get("/v1/modules/{namespace}/{name}/{system}/{version}", Access::kRead,
                 ResourceScope::kNamespace, GetModuleVersion, "Get a module version", KeptDocument),
      Route::Get("/v2/modules/{namespace}/{name}/{system}/downloads/summary", Access::kRead,
                 ResourceScope::kNamespace, GetModuleDownloads, "Get a module's download counts",
                 KeptDocument),
  };
  return kRoutes;
}

}  // namespace koya::api
