// The start page.
#include "web/site/home_page.h"

#include <utility>

#include "api/common/listed_hits.h"
#include "api/common/page_answer.h"
#include "api/common/route.h"
#include "domain/credential_record.h"
#include "domain/host_name.h"
#include "domain/namespace_record.h"
#include "domain/page.h"
#include "domain/signing_key_record.h"
#include "domain/usage_record.h"
#include "domain/version.h"
#include "service/access/namespace_admin.h"
#include "service/access/namespaces.h"
#include "service/common/version_rules.h"
#include "service/mirror/pull_policy.h"
#include "service/mirror/upstream_states.h"
#include "service/operate/client_archives.h"
#include "service/operate/notifications.h"
#include "service/search/search.h"
#include "service/sign_in/first_run.h"
#include "service/usage/usage.h"
#include "web/common/page_paths.h"

namespace koya::api {
namespace {

constexpr std::size_t kRecent = 8;
constexpr std::size_t kFetchedMost = 5;
constexpr std::size_t kNamespaces = 8;
constexpr std::size_t kUpstreams = 5;

// The settings' sentence in this language; "": there is none.
std::string TaglineOf(const SiteRules& site, web::Language language) {
  const std::string& own = language == web::Language::kJapanese  ? site.tagline_ja
                           : language == web::Language::kChinese ? site.tagline_zh
                                                                 : site.tagline_en;
  return own.empty() ? site.tagline_en : own;
}

web::FetchedPackage FetchedOf(const UsageLeader& leader) {
  return {.is_provider = leader.kind == UsageKind::kProvider,
          .address = leader.address,
          .fetches = leader.fetches};
}

Task<std::vector<NamespaceRecord>> ReadableOnes(Call& call) {
  const PageRequest first{.limit = kNamespaces + 1};
  ASSIGN_OR_CO_RETURN(Page<NamespaceRecord> page,
                      co_await call.services.rights.namespaces.List(call.Readable(), first));
  co_return std::move(page.items);
}

// State of the registries that this server has asked, for callers who may know of the mirror.
std::vector<web::HomeUpstream> UpstreamsFor(const Call& call) {
  using Kind = service::UpstreamState::Kind;
  std::vector<web::HomeUpstream> upstreams;
  if (!call.principal.MayRead("", call.services.access.mirror)) return upstreams;
  const MirrorServices& mirror = call.services.mirror;
  for (const HostName& host : mirror.policy.hosts()) {
    const Kind kind = mirror.states.Of(host).kind;
    if (kind == Kind::kUnasked) continue;
    if (upstreams.size() == kUpstreams) break;
    upstreams.push_back({.host = host.display(), .is_fresh = kind == Kind::kFresh});
  }
  return upstreams;
}

// The registries that the reader's client may be sent through here for.
std::vector<HostName> RegistriesFor(const Call& call) {
  std::vector<HostName> registries;
  if (!call.principal.MayRead("", call.services.access.mirror)) return registries;
  registries = call.services.mirror.policy.hosts();
  if (registries.size() > kUpstreams) registries.resize(kUpstreams, registries.front());
  return registries;
}

web::ShownStep StepOfHit(const SearchHit& hit, const service::VersionBefore& before) {
  const Result<Version> version = Version::Parse(hit.version);
  if (!version || (!before.is_known && !version->is_prerelease())) return web::ShownStep::kNone;
  return web::StepOf(*version, before.version ? &*before.version : nullptr);
}

// Adds the most recently published packages, and examples of searches made of them.
Task<void> FillRecent(Call& call, web::HomePage& page) {
  const PageRequest first{.offset = 0, .limit = kRecent};
  ASSIGN_OR_CO_RETURN(
      service::SearchAnswer found,
      co_await call.services.search.index.FindUncounted(
          call.Readable(), "kind:module,provider host:here", first, SearchOrder::kNewest));
  std::vector<SearchHit>& recent = found.page.items;
  ASSIGN_OR_CO_RETURN(page.examples,
                      co_await call.services.search.examples.FindExamples(call.principal, recent));
  ASSIGN_OR_CO_RETURN(const std::vector<service::VersionBefore> before,
                      co_await call.services.usage.versions_before.FindVersions(recent));
  CO_RETURN_IF_ERROR(co_await AddBadges(call, recent));
  for (std::size_t i = 0; i < recent.size(); ++i) {
    const web::ShownStep step = StepOfHit(recent[i], before[i]);
    page.recent.push_back(
        {.hit = std::move(recent[i]), .step = step, .publisher = before[i].publisher});
  }
  co_return Status();
}

Task<web::HomeWaiting> WaitingFor(Call& call) {
  ASSIGN_OR_CO_RETURN(service::ExpiryReminders things,
                      co_await call.services.upkeep.waiting.FindReminders(call.principal));
  co_return web::HomeWaiting{.tokens = std::move(things.tokens),
                             .has_more_tokens = things.has_more_tokens,
                             .keys = std::move(things.keys),
                             .has_more_keys = things.has_more_keys};
}

Task<void> FillHome(Call& call, web::HomePage& page) {
  page.now = call.services.clock.Now();
  CO_RETURN_IF_ERROR(co_await FillRecent(call, page));
  ASSIGN_OR_CO_RETURN(
      std::vector<UsageLeader> leaders,
      co_await call.services.usage.most_fetched.ListMostFetched(call.principal, kFetchedMost));
  for (const UsageLeader& leader : leaders) page.fetched_most.push_back(FetchedOf(leader));
  // Signed-in users see their own namespaces, if they have any; others, the namespaces that they
  // may read.
  if (!page.is_anonymous) {
    ASSIGN_OR_CO_RETURN(page.namespaces, co_await call.services.rights.namespace_admin.ListFirst(
                                             call.principal, kNamespaces + 1));
    page.namespaces_are_own = !page.namespaces.empty();
    ASSIGN_OR_CO_RETURN(page.waiting, co_await WaitingFor(call));
  }
  if (page.namespaces.empty()) {
    ASSIGN_OR_CO_RETURN(page.namespaces, co_await ReadableOnes(call));
  }
  page.has_more_namespaces = page.namespaces.size() > kNamespaces;
  if (page.has_more_namespaces) page.namespaces.resize(kNamespaces);
  if (page.recent.empty()) {
    ASSIGN_OR_CO_RETURN(const service::ClientArchiveList archives,
                        co_await call.services.upkeep.clients.List());
    page.hands_out_koya = !archives->empty();
  }
  page.upstreams = UpstreamsFor(call);
  page.registries = RegistriesFor(call);
  co_return Status();
}

std::string OfflineHome(const web::PageFrame& frame, const web::HomePage& home) {
  const web::HomePage away{.host = home.host,
                           .url = home.url,
                           .tagline = home.tagline,
                           .is_anonymous = home.is_anonymous,
                           .is_away = true};
  return web::WithOfflineNote(web::RenderHome(frame, away), frame.language);
}

Task<http::Response> ShowHome(Call& call) {
  PageAnswer page(call);
  const Services& services = call.services;
  const bool stranger = call.principal.is_anonymous();
  const bool signed_in = !page.frame.account.empty();
  web::HomePage home{.host = std::string(services.host()),
                     .url = services.url,
                     .tagline = TaglineOf(services.site, page.frame.language),
                     .is_anonymous = !signed_in,
                     .is_closed = stranger && !services.access.anonymous_read};
  if (stranger) {
    // If that is unknown, assume that the set-up is done, as it nearly always is.
    Result<bool> done = co_await services.sign_in.first_run.IsDone();
    home.is_new = done && !*done;
  }
  // The page has a box of its own.
  page.frame.has_search = false;
  if (home.is_new || home.is_closed) {
    co_return co_await page.SendUnkept(web::RenderHome(page.frame, home));
  }
  if (Status filled = co_await FillHome(call, home); !filled) {
    if (filled.error().kind != ErrorKind::kUnavailable)
      co_return Failure(std::move(filled).error());
    // The offline page for known users, without the parts that need the catalog.
    co_return co_await page.SendUnkept(OfflineHome(page.frame, home));
  }
  page.frame.canonical = web::kHomeAddress;
  page.frame.feed = web::FeedPath("all");
  co_return co_await page.SendBriefly(web::RenderHome(page.frame, home));
}

}  // namespace

// The start page.
std::span<const Route> HomePageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/", Access::kBrowse, ResourceScope::kNone, ShowHome, "Show the start page",
                 KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
