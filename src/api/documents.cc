#include "api/documents.h"

namespace koya::api {
namespace {

// Paths hold no NUL: a variant's key can never be another path's.
std::string KeyOf(const Call& call, std::string_view variant) {
  std::string key(call.request().path);
  if (!variant.empty()) {
    key.push_back('\0');
    key += variant;
  }
  return key;
}

}  // namespace

Task<http::Response> CachedDocument(Call& call, std::string_view variant, Renderer render) {
  DocumentCache& cache = call.services.documents;
  std::string key = KeyOf(call, variant);
  if (auto kept = cache.Find(key)) co_return http::Response::FromDocument(std::move(kept));
  DocumentCache::Ticket ticket = cache.TakeTicket();
  ASSIGN_OR_CO_RETURN(Rendered rendered, co_await render(call));
  cache.Put(ticket, std::move(key), std::move(rendered.topic), rendered.document,
            rendered.document->cost());
  co_return http::Response::FromDocument(std::move(rendered.document));
}

}  // namespace koya::api
