// What a client needs to use this registry, for people.
#include "web/site/setup_page.h"

#include <utility>

#include "api/common/page_answer.h"
#include "api/route_tables.h"

namespace koya::api {
namespace {

Task<http::Response> ShowSetup(Call& call) {
  PageAnswer page(call);
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(call.request().query));
  const Services& services = call.services;
  web::SetupPage shown{.choice = web::SetupChoice::Read(query.Get("tool"), query.Get("system"),
                                                        query.Get("purpose"), query.Get("sign_in"),
                                                        query.Get("hosts"), query.Get("direct")),
                       .url = services.url,
                       .host = std::nullopt};
  shown.mirror_wants_token =
      !services.access.anonymous_read || services.access.mirror != Visibility::kPublic;
  Result<HostName> host = HostName::ParseWire(services.host());
  if (host) shown.host = *std::move(host);
  page.frame.canonical = web::kSetupAddress;
  co_return co_await page.SendUnkept(web::RenderSetup(page.frame, shown));
}

}  // namespace

// How a client is set up, for people.
std::span<const Route> SetupPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/setup", Access::kBrowse, ResourceScope::kListing, ShowSetup,
                 "Show how to configure a client"),
  };
  return kRoutes;
}

}  // namespace koya::api
