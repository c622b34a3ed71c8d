#include "api/routes.h"

#include <utility>

#include "api/archives.h"
#include "api/discovery.h"
#include "api/documents.h"
#include "api/mirror.h"
#include "api/mirror_import.h"
#include "api/mirror_stock.h"
#include "api/module_listing.h"
#include "api/module_publishing.h"
#include "api/modules.h"
#include "api/origin.h"
#include "api/origin_modules.h"
#include "api/provider_listing.h"
#include "api/provider_publishing.h"
#include "api/providers.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "api/signing_keys.h"
#include "api/tokens.h"
#include "api/verify.h"

namespace koya::api {
namespace {

using http::Method;

// clang-format off
constexpr Route kRoutes[] = {
    // What clients ask.
    {Method::kGet, "/.well-known/terraform.json", Access::kOpen, BodyLimit::kNone, GetDiscovery,
     "Remote service discovery",
     "Root-relative base URLs of the services. Credentials are ignored, valid or not.", KeptDocument},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/versions", Access::kRead, BodyLimit::kNone, ListModuleVersions,
     "All versions of a module",
     "One element in `modules`, with `source` and every version, newest first; never paged. 404 for an unknown module.", KeptDocument},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/{version}/download", Access::kRead, BodyLimit::kNone, GetModuleDownload,
     "Where to get a version",
     "204 with `X-Terraform-Get`; for `User-Agent: OpenTofu/…` or `Accept: application/json` a 200 with `{\"location\": …}` and the same field. "
     "The location is absolute, ends in the archive's suffix and carries `checksum=sha256:…`, which clients verify. `v1.2.3` is found as `1.2.3`, and letter case is ignored.", KeptModuleDownload},
    {Method::kGet, "/download/modules/{namespace}/{name}/{system}/{version}/{file}", Access::kRead, BodyLimit::kNone, GetModuleArchive,
     "A module's archive",
     "The bytes, with exact length, strong `ETag` and `Range`. They never change. Clients send no credentials here.", KeptArchive},
    {Method::kGet, "/v1/providers/{namespace}/{type}/versions", Access::kRead, BodyLimit::kNone, ListProviderVersions,
     "All versions of a provider",
     "Each with its `protocols` and `platforms`, newest first; never paged. `warnings` names deprecated versions; clients show it. Names are case-folded and normalised as clients do (IDNA). 404 for an unknown provider.", KeptDocument},
    {Method::kGet, "/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}", Access::kRead, BodyLimit::kNone, GetProviderDownload,
     "Where to get a version for a platform, and how to verify it",
     "Absolute URLs of the zip, of SHA256SUMS and of its signature; the key that signed this version; `packages` with the hashes and sizes of all platforms (left out when two platforms share one zip, which clients do not bear). 404 for an unknown platform.", KeptDocument},
    {Method::kGet, "/download/providers/{namespace}/{type}/{version}/{file}", Access::kRead, BodyLimit::kNone, GetProviderFile,
     "A file of a release",
     "A zip, `…_SHA256SUMS` or `…_SHA256SUMS.sig`, byte for byte as published, with exact length, strong `ETag` and `Range`. It never changes. Clients send no credentials here.", KeptArchive},
    {Method::kGet, "/mirror/{hostname}/{namespace}/{type}/{file}", Access::kRead, BodyLimit::kNone, GetMirrorDocument,
     "The provider network mirror's documents",
     "`index.json`: 404 for what is neither here nor to be had. `VERSION.json`: every platform with its hashes, all URLs on this server; `{\"archives\": {}}` for what is unknown, so that clients try their other sources. "
     "The host is this server's own name, or that of a registry in `upstream.hosts`, in Unicode or punycode. 502, 503, 504 while upstream fails and nothing is held; held lists are served with `Warning: 110`.", KeptDocument},
    {Method::kGet, "/mirror/{hostname}/{namespace}/{type}/{version}/{file}", Access::kRead, BodyLimit::kNone, GetMirrorFile,
     "A mirrored file",
     "A zip, `…_SHA256SUMS` or its signature. What is not held is fetched and sent while it arrives; bytes that turn out wrong are cut off before their end, and never kept.", KeptArchive},
    {Method::kGet, "/origin/{hostname}/v1/providers/{namespace}/{type}/versions", Access::kRead, BodyLimit::kNone, ListOriginVersions,
     "Another registry's versions of a provider",
     "As that registry lists them. What a policy denies has no versions, and a warning that says why.", KeptDocument},
    {Method::kGet, "/origin/{hostname}/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}", Access::kRead, BodyLimit::kNone, GetOriginDownload,
     "Where to get another registry's provider",
     "Its author's SHA256SUMS, signature and keys, every URL on this server. 403 with the reason when a policy denies it.", KeptDocument},
    {Method::kGet, "/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/versions", Access::kRead, BodyLimit::kNone, ListOriginModuleVersions,
     "Another registry's versions of a module",
     "As that registry lists them. 403 with the reason when a policy denies the module; 502, 503, 504 while its registry fails and nothing is held; a held list is served with `Warning: 110`.", KeptDocument},
    {Method::kGet, "/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/download", Access::kRead, BodyLimit::kNone, GetOriginModuleDownload,
     "Where to get another registry's module",
     "As for this server's own modules. What is not held is fetched first, from an archive or with git: 503 with `Retry-After` when that takes longer than clients wait for a document. 403 with the reason when a policy denies it.", KeptOriginModuleDownload},
    {Method::kGet, "/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/{file}", Access::kRead, BodyLimit::kNone, GetOriginModuleArchive,
     "A mirrored module's archive",
     "A `.tar.gz` with the module at its root. Its bytes never change.", KeptArchive},

    // What tools and people ask.
    {Method::kGet, "/v1/modules", Access::kRead, BodyLimit::kNone, ListModules,
     "Modules, in order of address",
     "`limit` (15, at most 100), `offset`, `provider`, `namespace`. The answer's `meta` has `next_url` and `prev_url` where there are more."},
    {Method::kGet, "/v1/modules/search", Access::kRead, BodyLimit::kNone, SearchModules,
     "Modules in which every word occurs",
     "`q` (needed) is matched against namespace, name, system and description; otherwise as the list."},
    {Method::kGet, "/v1/modules/{namespace}", Access::kRead, BodyLimit::kNone, ListModulesOfNamespace,
     "Modules of a namespace", "As the list."},
    {Method::kGet, "/v1/modules/{namespace}/{name}", Access::kRead, BodyLimit::kNone, ListModulesOfName,
     "A module's latest version for each system", "As the list."},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}", Access::kRead, BodyLimit::kNone, GetLatestModule,
     "A module's latest version, and the list of all",
     "The newest release; the newest prerelease where there is no release.", KeptDocument},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/download", Access::kRead, BodyLimit::kNone, RedirectToLatestDownload,
     "302 to the latest version's download", ""},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/{version}", Access::kRead, BodyLimit::kNone, GetModuleVersion,
     "One version", "", KeptDocument},
    {Method::kGet, "/v1/providers", Access::kRead, BodyLimit::kNone, ListProviders,
     "Providers, in order of address",
     "`limit` (15, at most 100), `offset`, `namespace`. The answer's `meta` has `next_url` and `prev_url` where there are more."},
    {Method::kGet, "/v1/providers/search", Access::kRead, BodyLimit::kNone, SearchProviders,
     "Providers in which every word occurs",
     "`q` (needed) is matched against namespace and type; otherwise as the list."},
    {Method::kGet, "/v1/providers/{namespace}", Access::kRead, BodyLimit::kNone, ListProvidersOfNamespace,
     "Providers of a namespace", "As the list."},
    {Method::kGet, "/v1/providers/{namespace}/{type}", Access::kRead, BodyLimit::kNone, GetLatestProvider,
     "A provider's latest version, and the list of all",
     "The newest release; the newest prerelease where there is no release.", KeptDocument},
    {Method::kGet, "/v1/providers/{namespace}/{type}/{version}", Access::kRead, BodyLimit::kNone, GetProviderVersion,
     "One version", "", KeptDocument},

    // What authors and operators ask.
    {Method::kPut, "/api/v1/modules/{namespace}/{name}/{system}/{version}", Access::kPublish, BodyLimit::kModuleArchive, PublishModule,
     "Publish a module version",
     "The body is the archive, `.tar.gz` or `.zip`; its kind is read from its bytes. `?description=` is kept with the version. 201 with `address`, `version`, `digest`, `size`, `location`; "
     "200 when the same bytes were published before, which mends what is damaged of them; 400 bad address or version; 401, 403 token; 409 other bytes, another build of the same version, or withdrawn; 413 too large; 422 the archive is refused, and why."},
    {Method::kDelete, "/api/v1/modules/{namespace}/{name}/{system}/{version}", Access::kAdmin, BodyLimit::kSmall, WithdrawModule,
     "Withdraw a version",
     "`{\"reason\": \"…\"}`. 204. The version leaves every list, its download is 404, and it can never be published again."},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/drafts", Access::kPublish, BodyLimit::kSmall, OpenDraft,
     "Begin publishing a provider version",
     "201 with the draft's `id` and when it `expires`; each upload renews it. Nobody else sees a draft. 400 bad address or version, or a reserved name; 409 withdrawn, or another build of the same version."},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/drafts", Access::kPublish, BodyLimit::kNone, ListDrafts,
     "Your open drafts of a version", "Newest first, without their files: how an interrupted upload finds its draft again."},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}", Access::kPublish, BodyLimit::kNone, ShowDraft,
     "What a draft holds", "Every file with its digest, size and the problems known so far."},
    {Method::kPut, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/files/{file}", Access::kPublish, BodyLimit::kProviderFile, UploadDraftFile,
     "Upload a file of the release",
     "`terraform-provider-TYPE_VERSION_OS_ARCH.zip`, `…_SHA256SUMS`, `…_SHA256SUMS.sig` (or `.asc`), `…_manifest.json`: in any order, several at once; a file of the same name is replaced. 200 with its digest and size, and with `problems` when a zip is not fit to be published: "
     "the commit would list them. 413 too large (zips `limits.provider_zip_bytes`, others 1 MiB)."},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/commit", Access::kPublish, BodyLimit::kSmall, CommitDraft,
     "Check a draft and publish it",
     "`{\"sign\": true}` lets the server make SHA256SUMS and sign it with the namespace's own key; `\"protocols\": [\"6.0\"]` stands in for a manifest; the body may be empty. 201 with the release; 200 when the same SHA256SUMS was published before, which mends what is damaged of it; 409 other packages under this version, "
     "another build, or withdrawn; 422 with every problem at once, the draft staying as it was."},
    {Method::kDelete, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}", Access::kPublish, BodyLimit::kNone, AbandonDraft,
     "Give a draft up", "204."},
    {Method::kPut, "/api/v1/providers/{namespace}/{type}/{version}/deprecation", Access::kPublish, BodyLimit::kSmall, DeprecateProvider,
     "Warn the users of a version",
     "`{\"message\": \"…\"}`, one line that clients show at each `init`; an empty one takes the warning back. 204."},
    {Method::kDelete, "/api/v1/providers/{namespace}/{type}/{version}", Access::kAdmin, BodyLimit::kSmall, WithdrawProvider,
     "Withdraw a provider version",
     "`{\"reason\": \"…\"}`. 204. The version leaves every list, its downloads are 404, and it can never be published again."},
    {Method::kGet, "/api/v1/namespaces/{namespace}/keys", Access::kRead, BodyLimit::kNone, ListKeys,
     "The public keys of a namespace",
     "Each with id, fingerprint, user ids, algorithm, expiry and armor; those in use first, then the removed ones, which old releases are still verified with."},
    {Method::kPost, "/api/v1/namespaces/{namespace}/keys", Access::kAdmin, BodyLimit::kKeys, AddKeys,
     "Add public keys",
     "The body is ASCII armor; every key in it is added, or none. 201; 200 when all were there (what is kept of them is renewed); 400 for a secret key (which is not kept), a revoked, expired or non-signing one, or what is no key."},
    {Method::kPost, "/api/v1/namespaces/{namespace}/keys/rotate", Access::kAdmin, BodyLimit::kSmall, RotateKey,
     "Make a new server key for a namespace",
     "The key that the server signs with on request. 201. The one before it signs no more; what it signed stays verifiable."},
    {Method::kDelete, "/api/v1/namespaces/{namespace}/keys/{key_id}", Access::kAdmin, BodyLimit::kNone, RemoveKey,
     "Stop taking releases signed with a key",
     "By key id or fingerprint. 204. What it signed stays verifiable; 404 when there is none."},
    {Method::kGet, "/api/v1/verify", Access::kEverything, BodyLimit::kNone, ListKeptThings,
     "Everything whose bytes can be checked",
     "Archives of modules, packages and documents (SHA256SUMS and signature) of providers; those published here, then those of other registries (`hostname`), each kind by address. A page holds about a hundred: "
     "`after` is what the page before calls `next`, which is null on the last one. `of=mirror` leaves out what was published here. Each is checked by the `…/verify` of its address."},
    {Method::kPost, "/api/v1/modules/{namespace}/{name}/{system}/{version}/verify", Access::kPublish, BodyLimit::kSmall, CheckModule,
     "Check a published module for damage",
     "Hashes the stored bytes: `state` is `ok`, `damaged` or `missing`, with the `problem` and how it is mended. Nothing is changed. `warnings` say what today's rules would refuse of bytes that are whole. `{\"quick\": true}` compares sizes only. 404 for what is not published."},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/verify", Access::kPublish, BodyLimit::kSmall, CheckProviderDocuments,
     "Check a release's documents for damage",
     "As for a module: SHA256SUMS and its signature, the sums against the packages, and the signature against its key."},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/{os}/{arch}/verify", Access::kPublish, BodyLimit::kSmall, CheckProviderPackage,
     "Check a release's package for damage", "As for a module."},
    {Method::kGet, "/api/v1/mirror/providers", Access::kRead, BodyLimit::kNone, ListStockReleases,
     "What is kept of other registries' providers",
     "Every release that was ever seen, in order of address and version: its packages with digest, size, `h1:` hashes, whether they are `held`, and when they were `used`; `signed` when its author's documents are kept. "
     "`limit` (100, at most 100); `after`: what the page before calls `next`, which is null on the last one."},
    {Method::kGet, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release", Access::kRead, BodyLimit::kNone, GetStockDocuments,
     "A mirrored release's documents by its author",
     "`protocols`, `shasums` and `signature` (bytes, as hexadecimal digits), `signing_keys`: what the PUT takes. 404 when the release came without them."},
    {Method::kPut, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release", Access::kEverything, BodyLimit::kRelease, ImportRelease,
     "Import a release's documents",
     "Verified as those of upstream are; pins the digests of all platforms. The host need not be in `upstream.hosts`. 201, 200 when they were there; 403 denied by policy; 409 when something else is pinned; 422 when they do not verify."},
    {Method::kPost, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/verify", Access::kEverything, BodyLimit::kSmall, CheckStockDocuments,
     "Check a release's documents for damage", "As for a package."},
    {Method::kPut, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}", Access::kEverything, BodyLimit::kProviderFile, ImportPackage,
     "Import a provider's package",
     "The body is the zip; its hashes are computed here. 201; 200 when exactly these bytes were held; 400 for one of the server's own names; 403 denied by policy; 409 with both digests when other bytes are pinned, which stay; 413 too large; 422 the zip is refused, and why."},
    {Method::kDelete, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}", Access::kEverything, BodyLimit::kNone, ReleaseStockPackage,
     "Let go of a package's bytes",
     "204. Its digest stays pinned: the same bytes are fetched again when they are asked for. Whatever else has the same bytes keeps them."},
    {Method::kPost, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}/verify", Access::kEverything, BodyLimit::kSmall, CheckStockPackage,
     "Check a package for damage",
     "Hashes the stored bytes; `{\"quick\": true}` compares sizes only. `state`: `ok`, `damaged`, `missing` or `not_held`. Damaged bytes are removed at once; with `{\"repair\": true}` they are fetched again: `repaired`, or a `problem` that says why not. "
     "`warnings` say what today's rules would refuse of bytes that are whole."},
    {Method::kGet, "/api/v1/mirror/modules", Access::kRead, BodyLimit::kNone, ListStockModules,
     "What is kept of other registries' modules", "As for providers."},
    {Method::kGet, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", Access::kRead, BodyLimit::kNone, GetStockModule,
     "A mirrored module's archive", "404 when it is not held: it is not fetched."},
    {Method::kPut, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", Access::kEverything, BodyLimit::kModuleArchive, ImportModule,
     "Import a module version",
     "The body is an archive with the module at its root. `?source=` says where it came from, for people. Statuses as for a package."},
    {Method::kDelete, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", Access::kEverything, BodyLimit::kNone, ReleaseStockModule,
     "Let go of a module's bytes", "As for a package."},
    {Method::kPost, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/verify", Access::kEverything, BodyLimit::kSmall, CheckStockModule,
     "Check a module for damage",
     "As for a package; a damaged one comes back, with the same bytes, with the next request for it."},
    {Method::kPost, "/api/v1/tokens", Access::kGrant, BodyLimit::kSmall, CreateToken,
     "Make a token",
     "`{\"name\", \"scope\": \"read\"|\"publish\"|\"admin\", \"namespaces\": [pattern], \"expires\": \"90d\"}`; the last two may be left out. 201 with the token, which is never shown again; 403 when it would have rights that the caller has not: an administrator of `team-*` makes tokens for `team-*`, or for less; 409 when the name is taken."},
    {Method::kGet, "/api/v1/tokens", Access::kGrant, BodyLimit::kNone, ListTokens,
     "The tokens, without their secrets", "Those with no more rights than the caller's."},
    {Method::kDelete, "/api/v1/tokens/{name}", Access::kGrant, BodyLimit::kNone, RevokeToken,
     "Revoke a token", "204; 403 when it has rights that the caller has not; 404 when there is none of that name."},
};
// clang-format on

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

bool IsOpen(Access access) { return access == Access::kOpen || access == Access::kRead; }

Status CheckRights(Access access, const auth::Principal& caller) {
  if (IsOpen(access)) return {};
  RETURN_IF_ERROR(caller.Require(access == Access::kPublish ? Scope::kPublish : Scope::kAdmin));
  return access == Access::kEverything ? caller.RequireAllNamespaces() : Status();
}

// Who calls, where the route wants to know. Fails: kUnauthenticated, kForbidden.
Task<auth::Principal> Admit(const Route& route, const http::Request& request, Services& services) {
  if (IsOpen(route.access)) co_return auth::Principal();
  std::string authorization(request.Get("Authorization"));
  ASSIGN_OR_CO_RETURN(auth::Principal principal,
                      co_await services.tokens.Authenticate(std::move(authorization)));
  CO_RETURN_IF_ERROR(CheckRights(route.access, principal));
  co_return principal;
}

Task<http::Response> Answer(const Route& route, http::Exchange& exchange, Services& services) {
  ASSIGN_OR_CO_RETURN(auth::Principal principal, co_await Admit(route, exchange.request, services));
  Call call{exchange, services, std::move(principal)};
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
        return route.ready(exchange, services);
      };
    }
    specs.push_back({route.method, std::string(route.pattern), MaxBody(services, route.body),
                     std::move(handler), std::move(ready), MaxBodyName(route.body)});
  }
  return specs;
}

}  // namespace koya::api
