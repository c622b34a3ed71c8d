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

// Encoding, hashing and compressing this many records takes about a millisecond.
constexpr std::size_t kHeavy = 500;

Task<std::shared_ptr<const http::Document>> Make(WorkerPool& workers, const Rendering& rendering) {
  auto make = [&rendering]() -> Result<std::shared_ptr<const http::Document>> {
    return http::MakeDocument(rendering.encode(), rendering.options);
  };
  if (rendering.weight < kHeavy) co_return make();
  co_return co_await Offload(workers, std::move(make));
}

}  // namespace

Task<http::Response> CachedDocument(Call& call, std::string_view variant, Preparation prepare) {
  DocumentCache& cache = call.services.documents;
  DocumentCache::Ticket ticket = cache.TakeTicket();
  ASSIGN_OR_CO_RETURN(Rendering rendering, co_await prepare(call));
  if (!cache.IsCurrent(ticket) && !rendering.stale) {
    // What had to be fetched for this very answer was announced meanwhile. It is here now: read
    // once more, the answer can be kept. If that fails, the first one is as good as it was.
    DocumentCache::Ticket later = cache.TakeTicket();
    Result<Rendering> again = co_await prepare(call);
    if (again) {
      ticket = later;
      rendering = *std::move(again);
    }
  }
  ASSIGN_OR_CO_RETURN(std::shared_ptr<const http::Document> document,
                      co_await Make(call.services.workers, rendering));
  cache.Put(ticket, KeyOf(call.request().path, variant), rendering.topic, document,
            call.services.clock.Now());
  co_return http::Response::FromDocument(std::move(document));
}

std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services,
                                           std::string_view variant) {
  std::string_view path = exchange.request.path;
  UnixSeconds now = services.clock.Now();
  auto kept = variant.empty() ? services.documents.Find(path, now)
                              : services.documents.Find(KeyOf(path, variant), now);
  if (!kept) return std::nullopt;
  return http::Response::FromDocument(std::move(kept));
}

std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services) {
  return KeptDocument(exchange, services, "");
}

}  // namespace koya::api
