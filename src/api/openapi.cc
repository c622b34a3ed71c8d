// The API as a document for programs.
#include <string>
#include <utility>

#include "api/documents.h"
#include "api/handlers.h"
#include "api/operations.h"
#include "base/offload.h"

namespace koya::api {
namespace {

Task<Rendering> RenderOpenApi(Call& call) {
  // Some milliseconds, once.
  auto make = [version = call.services.site.version, url = call.services.url] {
    return OpenApiText(version, url);
  };
  ASSIGN_OR_CO_RETURN(std::string text, co_await Offload(call.services.workers, std::move(make)));
  co_return Rendering{.encode = [text = std::move(text)](const Links& /*links*/) { return text; },
                      .options = {.cache_control = "no-cache"},
                      .topic = "openapi"};
}

}  // namespace

Task<http::Response> GetOpenApi(Call& call) {
  co_return co_await CachedDocument(call, "", RenderOpenApi);
}

}  // namespace koya::api
