// Atom feeds of published versions, and badges with the newest version.
#include "web/site/small_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/provenance.h"
#include "api/common/route.h"
#include "domain/module_record.h"
#include "domain/name_rules.h"
#include "domain/namespace_record.h"
#include "domain/signing_key_record.h"
#include "domain/topic.h"
#include "service/access/namespaces.h"
#include "service/modules/modules.h"
#include "service/providers/providers.h"
#include "service/providers/signing_keys.h"
#include "service/search/search.h"
#include "web/common/page_paths.h"

namespace koya::api {
namespace {

constexpr std::size_t kMostEntries = 50;

Failure NoSuchFeed() {
  return FailNotFound("there is no such feed: feeds end in .atom, badges in .svg");
}

// "aws" of "aws.atom". Fails: kNotFound.
Result<std::string> NameBefore(std::string_view file, std::string_view ending) {
  if (!file.ends_with(ending) || file.size() == ending.size()) return NoSuchFeed();
  return std::string(file.substr(0, file.size() - ending.size()));
}

Result<ModuleAddress> ModuleOfFile(const Call& call, std::string_view ending) {
  ASSIGN_OR_RETURN(std::string system, NameBefore(call.path("file"), ending));
  auto address = ModuleAddress::FromParts(call.path("namespace"), call.path("name"), system);
  if (!address) return NoSuchFeed();
  return address;
}

Result<ProviderAddress> ProviderOfFile(const Call& call, std::string_view ending) {
  ASSIGN_OR_RETURN(std::string type, NameBefore(call.path("file"), ending));
  auto address = ProviderAddress::FromParts(call.path("namespace"), type);
  if (!address) return NoSuchFeed();
  return address;
}

web::Feed FeedOf(const Call& call, std::string title, std::string page_path) {
  const std::string name = call.services.SiteName();
  return {.site_url = call.services.url,
          .site_host = std::string(call.services.host()),
          .title = title.empty() ? name : fmt::format("{} · {}", title, name),
          .path = std::string(call.request().path),
          .page_path = std::move(page_path),
          .entries = {}};
}

// Newest first, cut to the number of entries that readers want.
void Settle(web::Feed& feed) {
  std::ranges::sort(feed.entries, [](const web::FeedEntry& a, const web::FeedEntry& b) {
    return std::tie(b.published_at, b.path) < std::tie(a.published_at, a.path);
  });
  if (feed.entries.size() > kMostEntries) feed.entries.resize(kMostEntries);
}

Rendering FeedRendering(web::Feed feed, std::string topic) {
  Settle(feed);
  return {.encode = [feed = std::move(feed)](const Links&) { return web::AtomText(feed); },
          .options = {.content_type = "application/atom+xml; charset=utf-8"},
          .topic = std::move(topic)};
}

Task<Rendering> RenderModuleFeed(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress asked, ModuleOfFile(call, ".atom"));
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> versions,
                      co_await call.services.modules.published.ListVersions(asked));
  const std::string address = versions.front().address.ToString();
  web::Feed feed = FeedOf(call, address, web::ModulePath(address));
  for (const ModuleVersionRecord& each : versions) {
    const std::string version = each.version.ToString();
    feed.entries.push_back({.name = fmt::format("{} {}", address, version),
                            .path = web::ModulePath(address, version),
                            .summary = each.description,
                            .author = each.published_by,
                            .published_at = each.published_at});
  }
  co_return FeedRendering(std::move(feed), ModuleTopic(asked));
}

Task<Rendering> RenderProviderFeed(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress asked, ProviderOfFile(call, ".atom"));
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> releases,
                      co_await call.services.providers.published.ListVersions(asked));
  const std::string address = asked.ToString();
  web::Feed feed = FeedOf(call, address, web::ProviderPath(address));
  for (const ReleaseSummary& each : releases) {
    const std::string version = each.version.ToString();
    feed.entries.push_back({.name = fmt::format("{} {}", address, version),
                            .path = web::ProviderPath(address, version),
                            .summary = each.deprecation,
                            .author = each.published_by,
                            .published_at = each.published_at});
  }
  co_return FeedRendering(std::move(feed), ProviderTopic(asked));
}

// "aws.svg" shows the newest version, "aws.verified.svg" its known provenance: no system and no
// type has a dot.
constexpr std::string_view kVersionEnding = ".svg";
constexpr std::string_view kVerifiedEnding = ".verified.svg";

bool AsksWhetherVerified(const Call& call) { return call.path("file").ends_with(kVerifiedEnding); }

std::string_view EndingAsked(const Call& call) {
  return AsksWhetherVerified(call) ? kVerifiedEnding : kVersionEnding;
}

Rendering BadgeRendering(std::string label, std::string value, std::string topic) {
  return {.encode = [label = std::move(label), value = std::move(value)](
                        const Links&) { return web::BadgeText(label, value); },
          .options = {.content_type = "image/svg+xml"},
          .topic = std::move(topic)};
}

Task<Rendering> RenderModuleBadge(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress asked, ModuleOfFile(call, EndingAsked(call)));
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord latest,
                      co_await call.services.modules.published.FindLatest(asked));
  if (AsksWhetherVerified(call)) {
    // Who signed the claims is all that is known: a namespace may trust an issuer of its own.
    const std::string issuer = IssuerHost(ProvenanceToWire(latest.provenance));
    co_return BadgeRendering("provenance", issuer.empty() ? "unknown" : issuer, ModuleTopic(asked));
  }
  co_return BadgeRendering("koya", latest.version.ToString(), ModuleTopic(asked));
}

// The newest release, else the newest prerelease.
const ReleaseSummary& LatestRelease(const std::vector<ReleaseSummary>& releases) {
  auto release = std::ranges::find_if(
      releases, [](const ReleaseSummary& each) { return !each.version.is_prerelease(); });
  return release == releases.end() ? releases.front() : *release;
}

Task<Rendering> RenderProviderBadge(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress asked, ProviderOfFile(call, EndingAsked(call)));
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> releases,
                      co_await call.services.providers.published.ListVersions(asked));
  const ReleaseSummary& latest = LatestRelease(releases);
  if (!AsksWhetherVerified(call)) {
    co_return BadgeRendering("koya", latest.version.ToString(), ProviderTopic(asked));
  }
  // No release is published without a signature that holds; its key may be gone by now.
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> keys,
                      co_await call.services.providers.signing_keys.List(asked.ns()));
  auto key = std::ranges::find(keys, latest.key_fingerprint, &SigningKeyRecord::fingerprint);
  const bool good = key != keys.end() && !key->removed_at;
  co_return BadgeRendering("signature", good ? "verified" : "key removed", ProviderTopic(asked));
}

web::FeedEntry EntryOf(const SearchHit& hit) {
  const bool is_provider = hit.subject_kind == SearchKind::kProvider;
  return {.name = fmt::format("{} {}", hit.address, hit.version),
          .path = is_provider ? web::ProviderPath(hit.address, hit.version)
                              : web::ModulePath(hit.address, hit.version),
          .summary = hit.title,
          .author = {},
          .published_at = hit.published_at};
}

Task<http::Response> GetModuleFeed(Call& call) {
  co_return co_await CachedDocument(call, "", RenderModuleFeed);
}

Task<http::Response> GetProviderFeed(Call& call) {
  co_return co_await CachedDocument(call, "", RenderProviderFeed);
}

Task<http::Response> GetModuleBadge(Call& call) {
  co_return co_await CachedDocument(call, "", RenderModuleBadge);
}

Task<http::Response> GetProviderBadge(Call& call) {
  co_return co_await CachedDocument(call, "", RenderProviderBadge);
}

// Of everything that the reader may know of, or of a namespace: each reader has their own.
Task<http::Response> GetFeed(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string name, NameBefore(call.path("file"), ".atom"));
  const bool of_all = name == "all";
  std::string text = "kind:module,provider version:any host:here";
  if (!of_all) {
    Result<std::string> ns = ParseNamespaceName(name);
    if (!ns) co_return NoSuchFeed();
    text += " ns:" + *ns;
  }
  ASSIGN_OR_CO_RETURN(service::SearchAnswer found,
                      co_await call.services.search.index.FindUncounted(
                          call.Readable(), std::move(text), {.offset = 0, .limit = kMostEntries},
                          SearchOrder::kNewest));
  // The existence of a namespace without visible contents must not be revealed.
  if (!of_all && found.page.items.empty()) co_return NoSuchFeed();
  std::string title;
  if (!of_all) {
    ASSIGN_OR_CO_RETURN(NamespaceWords words, co_await call.services.rights.namespaces.Words(name));
    title = words.title.empty() ? name : fmt::format("{} ({})", words.title, name);
  }
  web::Feed feed = FeedOf(call, std::move(title), of_all ? "/" : web::NamespacePath(name));
  for (const SearchHit& hit : found.page.items) feed.entries.push_back(EntryOf(hit));
  Settle(feed);
  const bool is_public = call.visibility == Visibility::kPublic && call.principal.is_anonymous();
  co_return http::Response::FromDocument(http::MakeDocument(
      web::AtomText(feed), {.content_type = "application/atom+xml; charset=utf-8",
                            .cache_control = is_public ? "no-cache" : "private, no-cache",
                            .lasting = false}));
}

}  // namespace

// Feeds of published versions, and badges with the newest version.
std::span<const Route> FeedRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/feeds/{file}", Access::kBrowse, ResourceScope::kListing, GetFeed,
                 "Get published versions as an Atom feed"),
      Route::Get("/-/feeds/modules/{namespace}/{name}/{file}", Access::kBrowse,
                 ResourceScope::kNamespace, GetModuleFeed,
                 "Get a module's versions as an Atom feed", KeptDocument),
      Route::Get("/-/feeds/providers/{namespace}/{file}", Access::kBrowse,
                 ResourceScope::kNamespace, GetProviderFeed,
                 "Get a provider's versions as an Atom feed", KeptDocument),
      Route::Get("/-/badges/modules/{namespace}/{name}/{file}", Access::kBrowse,
                 ResourceScope::kNamespace, GetModuleBadge,
                 "Get a badge with a module's newest version or its publisher", KeptDocument),
      Route::Get("/-/badges/providers/{namespace}/{file}", Access::kBrowse,
                 ResourceScope::kNamespace, GetProviderBadge,
                 "Get a badge with a provider's newest version or its signature", KeptDocument),
  };
  return kRoutes;
}

}  // namespace koya::api
