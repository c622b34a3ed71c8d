#include "api/routes.h"

#include <utility>

#include "api/discovery.h"
#include "api/documents.h"
#include "api/module_listing.h"
#include "api/module_publishing.h"
#include "api/modules.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "api/tokens.h"

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
     "The bytes, with exact length, strong `ETag` and `Range`. They never change. Clients send no credentials here.", KeptModuleArchive},

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

    // What authors and operators ask.
    {Method::kPut, "/api/v1/modules/{namespace}/{name}/{system}/{version}", Access::kPublish, BodyLimit::kModuleArchive, PublishModule,
     "Publish a module version",
     "The body is the archive, `.tar.gz` or `.zip`; its kind is read from its bytes. `?description=` is kept with the version. 201 with `address`, `version`, `digest`, `size`, `location`; "
     "200 when the same bytes were published before; 400 bad address or version; 401, 403 token; 409 other bytes, another build of the same version, or withdrawn; 413 too large; 422 the archive is refused, and why."},
    {Method::kDelete, "/api/v1/modules/{namespace}/{name}/{system}/{version}", Access::kAdmin, BodyLimit::kSmall, WithdrawModule,
     "Withdraw a version",
     "`{\"reason\": \"…\"}`. 204. The version leaves every list, its download is 404, and it can never be published again."},
    {Method::kPost, "/api/v1/tokens", Access::kAdmin, BodyLimit::kSmall, CreateToken,
     "Make a token",
     "`{\"name\", \"scope\": \"read\"|\"publish\"|\"admin\", \"namespaces\": [pattern], \"expires\": \"90d\"}`; the last two may be left out. 201 with the token, which is never shown again; 409 when the name is taken."},
    {Method::kGet, "/api/v1/tokens", Access::kAdmin, BodyLimit::kNone, ListTokens,
     "The tokens, without their secrets", ""},
    {Method::kDelete, "/api/v1/tokens/{name}", Access::kAdmin, BodyLimit::kNone, RevokeToken,
     "Revoke a token", "204; 404 when there is none of that name."},
};
// clang-format on

std::uint64_t MaxBody(const Services& services, BodyLimit limit) {
  switch (limit) {
    case BodyLimit::kNone:
      return 0;
    case BodyLimit::kSmall:
      return kSmallBody;
    case BodyLimit::kModuleArchive:
      return services.module_upload_bytes;
  }
  return 0;
}

// Who calls, where the route wants to know. Fails: kUnauthenticated, kForbidden.
Task<auth::Principal> Admit(const Route& route, const http::Request& request, Services& services) {
  if (route.access == Access::kOpen || route.access == Access::kRead) co_return auth::Principal();
  std::string authorization(request.Get("Authorization"));
  ASSIGN_OR_CO_RETURN(auth::Principal principal,
                      co_await services.tokens.Authenticate(std::move(authorization)));
  Scope needed = route.access == Access::kAdmin ? Scope::kAdmin : Scope::kPublish;
  CO_RETURN_IF_ERROR(principal.Require(needed));
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
                     std::move(handler), std::move(ready)});
  }
  return specs;
}

}  // namespace koya::api
