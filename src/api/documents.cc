#include "api/documents.h"

#include "base/offload.h"

namespace koya::api {
namespace {

// Paths hold no NUL: a variant's key can never be another path's.
std::string KeyOf(std::string_view path, std::string_view variant) {
  std::string key(path);
  if (!variant.empty()) {
    key.push_back('\0');
    key += variant;
  }
  return key;
}

std::shared_ptr<const http::Document> FindFresh(Services& services, std::string_view key) {
  std::shared_ptr<const http::Document> kept = services.documents.Find(key);
  bool old = kept && kept->fresh_until != 0 && services.clock.Now() >= kept->fresh_until;
  return old ? nullptr : kept;
}

// Encoding, hashing and compressing this many records takes about a millisecond.
constexpr std::size_t kHeavy = 500;

Task<std::shared_ptr<const http::Document>> Make(WorkerPool& workers, const Draft& draft) {
  auto make = [&draft]() -> Result<std::shared_ptr<const http::Document>> {
    return http::MakeDocument(draft.encode(), draft.options);
  };
  if (draft.weight < kHeavy) co_return make();
  co_return co_await Offload(workers, std::move(make));
}

}  // namespace

Task<http::Response> CachedDocument(Call& call, std::string_view variant, Preparation prepare) {
  DocumentCache& cache = call.services.documents;
  std::string key = KeyOf(call.request().path, variant);
  if (auto kept = FindFresh(call.services, key))
    co_return http::Response::FromDocument(std::move(kept));
  DocumentCache::Ticket ticket = cache.TakeTicket();
  ASSIGN_OR_CO_RETURN(Draft draft, co_await prepare(call));
  ASSIGN_OR_CO_RETURN(std::shared_ptr<const http::Document> document,
                      co_await Make(call.services.workers, draft));
  cache.Put(ticket, std::move(key), std::move(draft.topic), document, document->cost());
  co_return http::Response::FromDocument(std::move(document));
}

std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services,
                                           std::string_view variant) {
  std::string_view path = exchange.request.path;
  auto kept =
      variant.empty() ? FindFresh(services, path) : FindFresh(services, KeyOf(path, variant));
  if (!kept) return std::nullopt;
  return http::Response::FromDocument(std::move(kept));
}

std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services) {
  return KeptDocument(exchange, services, "");
}

}  // namespace koya::api
