#include "api/route_tables.h"

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/links.h"
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

}  // namespace

// Remote service discovery.
std::span<const Route> DiscoveryRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/.well-known/terraform.json", Access::kOpen, ResourceScope::kNone, GetDiscovery,
                 "Discover the registry's services", KeptDocument),
  };
  return kRoutes;
}

}  // namespace koya::api
