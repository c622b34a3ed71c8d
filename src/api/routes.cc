#include "api/routes.h"

#include <algorithm>
#include <utility>

#include "api/archives.h"
#include "api/documents.h"
#include "api/handlers.h"
#include "api/reply.h"
#include "api/request_body.h"

namespace koya::api {
namespace {

using http::Method;

// clang-format off
constexpr Route kRoutes[] = {
    // What clients ask.
    {Method::kGet, "/.well-known/terraform.json", Access::kOpen, BodyLimit::kNone, GetDiscovery, "Remote service discovery", KeptDocument},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/versions", Access::kRead, BodyLimit::kNone, ListModuleVersions, "All versions of a module", KeptDocument},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/{version}/download", Access::kRead, BodyLimit::kNone, GetModuleDownload, "Where to get a version", KeptModuleDownload},
    {Method::kGet, "/download/modules/{namespace}/{name}/{system}/{version}/{file}", Access::kRead, BodyLimit::kNone, GetModuleArchive, "A module's archive", KeptArchive},
    {Method::kGet, "/v1/providers/{namespace}/{type}/versions", Access::kRead, BodyLimit::kNone, ListProviderVersions, "All versions of a provider", KeptDocument},
    {Method::kGet, "/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}", Access::kRead, BodyLimit::kNone, GetProviderDownload, "Where to get a version for a platform, and how to verify it", KeptDocument},
    {Method::kGet, "/download/providers/{namespace}/{type}/{version}/{file}", Access::kRead, BodyLimit::kNone, GetProviderFile, "A file of a release", KeptArchive},
    {Method::kGet, "/mirror/{hostname}/{namespace}/{type}/{file}", Access::kRead, BodyLimit::kNone, GetMirrorDocument, "The provider network mirror's documents", KeptDocument},
    {Method::kGet, "/mirror/{hostname}/{namespace}/{type}/{version}/{file}", Access::kRead, BodyLimit::kNone, GetMirrorFile, "A mirrored file", KeptArchive},
    {Method::kGet, "/origin/{hostname}/v1/providers/{namespace}/{type}/versions", Access::kRead, BodyLimit::kNone, ListOriginVersions, "Another registry's versions of a provider", KeptDocument},
    {Method::kGet, "/origin/{hostname}/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}", Access::kRead, BodyLimit::kNone, GetOriginDownload, "Where to get another registry's provider", KeptDocument},
    {Method::kGet, "/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/versions", Access::kRead, BodyLimit::kNone, ListOriginModuleVersions, "Another registry's versions of a module", KeptDocument},
    {Method::kGet, "/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/download", Access::kRead, BodyLimit::kNone, GetOriginModuleDownload, "Where to get another registry's module", KeptOriginModuleDownload},
    {Method::kGet, "/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/{file}", Access::kRead, BodyLimit::kNone, GetOriginModuleArchive, "A mirrored module's archive", KeptArchive},

    // What tools and people ask.
    {Method::kGet, "/v1/modules", Access::kRead, BodyLimit::kNone, ListModules, "Modules, in order of address"},
    {Method::kGet, "/v1/modules/search", Access::kRead, BodyLimit::kNone, SearchModules, "Modules in which every word occurs"},
    {Method::kGet, "/v1/modules/{namespace}", Access::kRead, BodyLimit::kNone, ListModulesOfNamespace, "Modules of a namespace"},
    {Method::kGet, "/v1/modules/{namespace}/{name}", Access::kRead, BodyLimit::kNone, ListModulesOfName, "A module's latest version for each system"},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}", Access::kRead, BodyLimit::kNone, GetLatestModule, "A module's latest version, and the list of all", KeptDocument},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/download", Access::kRead, BodyLimit::kNone, RedirectToLatestDownload, "302 to the latest version's download"},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/{version}", Access::kRead, BodyLimit::kNone, GetModuleVersion, "One version", KeptDocument},
    {Method::kGet, "/v1/providers", Access::kRead, BodyLimit::kNone, ListProviders, "Providers, in order of address"},
    {Method::kGet, "/v1/providers/search", Access::kRead, BodyLimit::kNone, SearchProviders, "Providers in which every word occurs"},
    {Method::kGet, "/v1/providers/{namespace}", Access::kRead, BodyLimit::kNone, ListProvidersOfNamespace, "Providers of a namespace"},
    {Method::kGet, "/v1/providers/{namespace}/{type}", Access::kRead, BodyLimit::kNone, GetLatestProvider, "A provider's latest version, and the list of all", KeptDocument},
    {Method::kGet, "/v1/providers/{namespace}/{type}/{version}", Access::kRead, BodyLimit::kNone, GetProviderVersion, "One version", KeptDocument},

    // What authors and operators ask.
    {Method::kPut, "/api/v1/modules/{namespace}/{name}/{system}/{version}", Access::kPublish, BodyLimit::kModuleArchive, PublishModule, "Publish a module version"},
    {Method::kDelete, "/api/v1/modules/{namespace}/{name}/{system}/{version}", Access::kAdmin, BodyLimit::kSmall, WithdrawModule, "Withdraw a version"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/drafts", Access::kPublish, BodyLimit::kSmall, OpenDraft, "Begin publishing a provider version"},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/drafts", Access::kPublish, BodyLimit::kNone, ListDrafts, "Your open drafts of a version"},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}", Access::kPublish, BodyLimit::kNone, ShowDraft, "What a draft holds"},
    {Method::kPut, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/files/{file}", Access::kPublish, BodyLimit::kProviderFile, UploadDraftFile, "Upload a file of the release"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/commit", Access::kPublish, BodyLimit::kSmall, CommitDraft, "Check a draft and publish it"},
    {Method::kDelete, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}", Access::kPublish, BodyLimit::kNone, AbandonDraft, "Give a draft up"},
    {Method::kPut, "/api/v1/providers/{namespace}/{type}/{version}/deprecation", Access::kPublish, BodyLimit::kSmall, DeprecateProvider, "Warn the users of a version"},
    {Method::kDelete, "/api/v1/providers/{namespace}/{type}/{version}", Access::kAdmin, BodyLimit::kSmall, WithdrawProvider, "Withdraw a provider version"},
    {Method::kGet, "/api/v1/namespaces/{namespace}/keys", Access::kRead, BodyLimit::kNone, ListKeys, "The public keys of a namespace"},
    {Method::kPost, "/api/v1/namespaces/{namespace}/keys", Access::kAdmin, BodyLimit::kKeys, AddKeys, "Add public keys"},
    {Method::kPost, "/api/v1/namespaces/{namespace}/keys/rotate", Access::kAdmin, BodyLimit::kSmall, RotateKey, "Make a new server key for a namespace"},
    {Method::kDelete, "/api/v1/namespaces/{namespace}/keys/{key_id}", Access::kAdmin, BodyLimit::kNone, RemoveKey, "Stop taking releases signed with a key"},
    {Method::kGet, "/api/v1/verify", Access::kEverything, BodyLimit::kNone, ListKeptThings, "Everything whose bytes can be checked"},
    {Method::kPost, "/api/v1/modules/{namespace}/{name}/{system}/{version}/verify", Access::kPublish, BodyLimit::kSmall, CheckModule, "Check a published module for damage"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/verify", Access::kPublish, BodyLimit::kSmall, CheckProviderDocuments, "Check a release's documents for damage"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/{os}/{arch}/verify", Access::kPublish, BodyLimit::kSmall, CheckProviderPackage, "Check a release's package for damage"},
    {Method::kGet, "/api/v1/mirror/providers", Access::kRead, BodyLimit::kNone, ListInventoryReleases, "What is kept of other registries' providers"},
    {Method::kGet, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release", Access::kRead, BodyLimit::kNone, GetInventoryDocuments, "A mirrored release's documents by its author"},
    {Method::kPut, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release", Access::kEverything, BodyLimit::kRelease, ImportRelease, "Import a release's documents"},
    {Method::kPost, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/verify", Access::kEverything, BodyLimit::kSmall, CheckInventoryDocuments, "Check a release's documents for damage"},
    {Method::kPut, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}", Access::kEverything, BodyLimit::kProviderFile, ImportPackage, "Import a provider's package"},
    {Method::kDelete, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}", Access::kEverything, BodyLimit::kNone, ReleaseInventoryPackage, "Let go of a package's bytes"},
    {Method::kPost, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}/verify", Access::kEverything, BodyLimit::kSmall, CheckInventoryPackage, "Check a package for damage"},
    {Method::kGet, "/api/v1/mirror/modules", Access::kRead, BodyLimit::kNone, ListInventoryModules, "What is kept of other registries' modules"},
    {Method::kGet, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", Access::kRead, BodyLimit::kNone, GetInventoryModule, "A mirrored module's archive"},
    {Method::kPut, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", Access::kEverything, BodyLimit::kModuleArchive, ImportModule, "Import a module version"},
    {Method::kDelete, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", Access::kEverything, BodyLimit::kNone, ReleaseInventoryModule, "Let go of a module's bytes"},
    {Method::kPost, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/verify", Access::kEverything, BodyLimit::kSmall, CheckInventoryModule, "Check a module for damage"},
    {Method::kPost, "/api/v1/tokens", Access::kGrant, BodyLimit::kSmall, CreateToken, "Make a token"},
    {Method::kGet, "/api/v1/tokens", Access::kGrant, BodyLimit::kNone, ListTokens, "The tokens, without their secrets"},
    {Method::kPost, "/api/v1/tokens/{name}/rotate", Access::kGrant, BodyLimit::kSmall, RotateToken, "Give a token another text"},
    {Method::kDelete, "/api/v1/tokens/{name}", Access::kGrant, BodyLimit::kNone, RevokeToken, "Revoke a token"},
    {Method::kPost, "/api/v1/admin/reseal", Access::kEverything, BodyLimit::kSmall, ResealSecrets, "Seal every secret with server.secret"},
};
// clang-format on

constexpr bool IsOpen(Access access) { return access == Access::kOpen || access == Access::kRead; }

// What is kept is sent to whoever asks for it: it must not be somebody's only.
static_assert(std::ranges::all_of(kRoutes, [](const Route& route) {
  return route.ready == nullptr || IsOpen(route.access);
}));

std::uint64_t MaxBody(const Services& services, BodyLimit limit) {
  switch (limit) {
    case BodyLimit::kNone:
      return 0;
    case BodyLimit::kSmall:
      return kSmallBody;
    case BodyLimit::kKeys:
      return kKeyBody;
    case BodyLimit::kRelease:
      return kReleaseBody;
    case BodyLimit::kModuleArchive:
      return services.module_upload_bytes;
    case BodyLimit::kProviderFile:
      return services.provider_zip_bytes;
  }
  return 0;
}

LimitName MaxBodyName(BodyLimit limit) {
  switch (limit) {
    case BodyLimit::kNone:
      return {};
    case BodyLimit::kModuleArchive:
      return "limits.module_bytes";
    case BodyLimit::kProviderFile:
      return "limits.provider_zip_bytes";
    default:
      return "fixed.request_document_bytes";
  }
}

Status CheckRights(Access access, const auth::Principal& caller) {
  if (IsOpen(access)) return {};
  RETURN_IF_ERROR(caller.Require(access == Access::kPublish ? Scope::kPublish : Scope::kAdmin));
  return access == Access::kEverything ? caller.RequireAllNamespaces() : Status();
}

// What the caller has to say for itself; nullopt: nothing, or nothing that this route looks at.
std::optional<std::string_view> Credentials(const Route& route, const http::Request& request) {
  if (route.access == Access::kOpen) return std::nullopt;
  return request.Find("Authorization");
}

// Who calls, where the route wants to know. Fails: kUnauthenticated, kForbidden.
Task<auth::Principal> Admit(const Route& route, const http::Request& request, Services& services) {
  std::optional<std::string_view> credentials = Credentials(route, request);
  if (!credentials && IsOpen(route.access)) co_return auth::Principal();
  std::string authorization(credentials.value_or(""));
  Result<auth::Principal> principal =
      co_await services.tokens.Authenticate(std::move(authorization));
  if (!principal) {
    // Whoever cannot be told who they are while the catalog is away is a stranger.
    bool stranger = IsOpen(route.access) && principal.error().kind == ErrorKind::kUnavailable;
    if (stranger) co_return auth::Principal();
    co_return std::unexpected(std::move(principal).error());
  }
  CO_RETURN_IF_ERROR(CheckRights(route.access, *principal));
  co_return *std::move(principal);
}

// What is at hand for this request, or nullopt. Never waits.
std::optional<http::Response> ReadyAnswer(const Route& route, const http::Exchange& exchange,
                                          Services& services) {
  if (std::optional<std::string_view> credentials = Credentials(route, exchange.request)) {
    std::optional<Status> known = services.tokens.Recognise(*credentials);
    if (!known) return std::nullopt;
    if (!*known) return ErrorReply(known->error());
  }
  return route.ready(exchange, services);
}

Task<http::Response> Answer(const Route& route, http::Exchange& exchange, Services& services) {
  std::optional<std::string_view> credentials = Credentials(route, exchange.request);
  const bool was_known = !credentials || services.tokens.Recognise(*credentials);
  ASSIGN_OR_CO_RETURN(auth::Principal principal, co_await Admit(route, exchange.request, services));
  // While it was not known who asks, nobody has looked for what is at hand.
  if (route.ready != nullptr && !was_known) {
    if (auto ready = route.ready(exchange, services)) co_return *std::move(ready);
  }
  Call call{exchange, services, std::move(principal), route.pattern};
  co_return co_await route.handler(call);
}

Awaitable<http::Response> AnswerOrExplain(const Route& route, http::Exchange& exchange,
                                          Services& services) {
  Result<http::Response> reply = co_await Answer(route, exchange, services);
  if (!reply) co_return ErrorReply(reply.error());
  co_return *std::move(reply);
}

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

std::vector<http::RouteSpec> BindRoutes(Services& services) {
  std::vector<http::RouteSpec> specs;
  for (const Route& route : kRoutes) {
    http::Handler handler = [&route, &services](http::Exchange& exchange) {
      return AnswerOrExplain(route, exchange, services);
    };
    http::ReadyAnswer ready;
    if (route.ready != nullptr) {
      ready = [&route, &services](const http::Exchange& exchange) {
        return ReadyAnswer(route, exchange, services);
      };
    }
    specs.push_back({route.method, std::string(route.pattern), MaxBody(services, route.body),
                     std::move(handler), std::move(ready), MaxBodyName(route.body)});
  }
  return specs;
}

}  // namespace koya::api
