// The API as a document for programs.
#include <string>
#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/links.h"
#include "api/operations.h"
#include "api/route_tables.h"

namespace koya::api {
namespace {

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

// The API as OpenAPI 3.1: openapi.cc. The same for all callers: the list of operations is no
// secret.
Task<http::Response> GetOpenApi(Call& call) {
  co_return co_await CachedDocument(call, "", RenderOpenApi);
}

}  // namespace

std::span<const Route> OpenapiRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/api/openapi.json", Access::kOpen, ResourceScope::kNone, GetOpenApi,
                 "Get the API description as OpenAPI 3.1", KeptDocument),
  };
  return kRoutes;
}

}  // namespace koya::api
