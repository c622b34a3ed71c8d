#include "api/discovery.h"

#include "api/documents.h"
#include "wire/discovery.h"

namespace koya::api {
namespace {

Task<Rendered> RenderDiscovery(Call& /*call*/) {
  // Root-relative with a trailing slash: the one form every client and tool understands.
  std::string body = wire::EncodeDiscovery({{"modules.v1", "/v1/modules/"}});
  http::DocumentOptions options;
  co_return Rendered{http::MakeDocument(std::move(body), std::move(options)), "discovery"};
}

}  // namespace

Task<http::Response> GetDiscovery(Call& call) {
  co_return co_await CachedDocument(call, "", RenderDiscovery);
}

}  // namespace koya::api
