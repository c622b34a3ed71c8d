// What programs learn of this server: its services, and the API as a document.
#include <string>
#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/route.h"
#include "api/operations.h"
#include "service/sign_in/client_login.h"
#include "wire/discovery.h"
#include "wire/sign_in.h"

namespace koya::api {
namespace {

std::string Discovery(const Links& /*links*/) {
  // Root-relative with a trailing slash: the one form every client and tool understands.
  return wire::EncodeDiscovery({{"modules.v1", "/v1/modules/"}, {"providers.v1", "/v1/providers/"}},
                               wire::EncodeLoginService({
                                   .client = std::string(service::kLoginClient),
                                   .grant_types = {"authz_code"},
                                   .authz = "/oauth/authorize",
                                   .token = "/oauth/token",
                                   .first_port = service::kFirstPort,
                                   .last_port = service::kLastPort,
                               }));
}

Task<Rendering> RenderDiscovery(Call& /*call*/) {
  Rendering rendering{.encode = Discovery, .topic = "discovery"};
  co_return rendering;
}

// The same for all callers, whatever Authorization says: clients send expired tokens here too, and
// a login must be able to begin.
Task<http::Response> GetDiscovery(Call& call) {
  co_return co_await CachedDocument(call, "", RenderDiscovery);
}

Task<Rendering> RenderOpenApi(Call& call) {
  // Some milliseconds, once.
  auto make = [version = call.services.site.version,
               url = call.services.url]() -> Result<std::string> {
    return OpenApiText(version, url);
  };
  ASSIGN_OR_CO_RETURN(std::string text, co_await call.reading.Do(std::move(make)));
  co_return Rendering{.encode = [text = std::move(text)](const Links& /*links*/) { return text; },
                      .options = {.cache_control = "no-cache"},
                      .topic = "openapi"};
}

// The API as OpenAPI 3.1. The same for all callers: the list of operations is no
// secret.
Task<http::Response> GetOpenApi(Call& call) {
  co_return co_await CachedDocument(call, "", RenderOpenApi);
}

}  // namespace

// Remote service discovery.
std::span<const Route> DiscoveryRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/.well-known/terraform.json", Access::kOpen, ResourceScope::kNone, GetDiscovery,
                 "Discover the registry's services", KeptDocument),
  };
  return kRoutes;
}

std::span<const Route> OpenapiRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/api/openapi.json", Access::kOpen, ResourceScope::kNone, GetOpenApi,
                 "Get the API description as OpenAPI 3.1", KeptDocument),
  };
  return kRoutes;
}

}  // namespace koya::api
