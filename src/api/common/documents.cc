#include "api/common/documents.h"

#include <stdexcept>

#include "api/common/call.h"
#include "api/common/document_cache.h"
#include "auth/capability.h"
#include "base/clock.h"
#include "base/text.h"
#include "domain/access.h"
#include "domain/host_name.h"
#include "domain/version.h"
#include "http/server/router.h"
#include "http/server/target.h"

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

// One spelling of a part of a path for all that name the same thing.
std::string CanonicalPart(std::string_view pattern, std::string_view name, std::string_view value) {
  if (name == "{hostname}") {
    Result<HostName> host = HostName::ParseWire(value);
    if (host) return host->ascii();
  } else if (name == "{version}") {
    Result<Version> version = Version::ParseLookup(value);
    if (version) return version->ToString();
  } else if (name == "{namespace}" || name == "{system}" || name == "{type}" ||
             (name == "{name}" && pattern.contains("/{namespace}/{name}"))) {
    return AsciiLower(value);
  }
  return std::string(value);
}

// The request's path with its parts in one spelling: a name of ten letters has a thousand.
std::string CanonicalPath(const Call& call) {
  std::string path;
  std::string_view rest = call.pattern;
  for (std::size_t i = 0; i < call.exchange.parameters.count; ++i) {
    const std::size_t open = rest.find('{');
    const std::size_t close = rest.find('}', open);
    path += rest.substr(0, open);
    path += CanonicalPart(call.pattern, rest.substr(open, close + 1 - open),
                          call.exchange.parameters[i]);
    rest.remove_prefix(close + 1);
  }
  return path.append(rest);
}

// Encoding, hashing and compressing this many records takes about a millisecond.
constexpr std::size_t kHeavy = 500;

http::DocumentOptions WithLocation(const Rendering& rendering, const Links& links) {
  http::DocumentOptions options = rendering.options;
  if (!rendering.location.empty()) {
    options.fields.emplace_back("X-Terraform-Get", links(rendering.location));
  }
  return options;
}

// What a record takes while its document is made: as values, as text, twice, and packed.
constexpr std::uint64_t kRecordBytes = 1024;

Task<std::shared_ptr<const http::Document>> Make(service::Reading reading,
                                                 const Rendering& rendering) {
  auto make = [&rendering]() -> Result<std::shared_ptr<const http::Document>> {
    const Links plain;
    return http::MakeDocument(rendering.encode(plain), WithLocation(rendering, plain));
  };
  if (rendering.weight < kHeavy) co_return make();
  if (!rendering.claimed)
    CO_RETURN_IF_ERROR(co_await reading.Claim(kRecordBytes * rendering.weight));
  co_return co_await reading.Do(std::move(make));
}

// A rendering, and the ticket that says up to when its data was the newest.
struct Prepared {
  Rendering rendering;
  DocumentCache::Ticket ticket;
};

Task<Prepared> Prepare(Call& call, Preparation prepare) {
  DocumentCache& cache = call.services.documents;
  DocumentCache::Ticket ticket = cache.TakeTicket();
  ASSIGN_OR_CO_RETURN(Rendering rendering, co_await prepare(call));
  if (!cache.IsCurrent(ticket) && !rendering.stale) {
    // What had to be fetched for this very answer was announced meanwhile. It is here now: read
    // once more, the answer can be kept. If that fails, the first one is as good as it was.
    DocumentCache::Ticket later = cache.TakeTicket();
    Result<Rendering> again = co_await prepare(call);
    if (again) co_return Prepared{*std::move(again), later};
  }
  co_return Prepared{std::move(rendering), ticket};
}

// With locations for this reader, which others must not cache.
std::shared_ptr<const http::Document> MakeLinked(const Call& call, const Rendering& rendering) {
  const Links links = Links::For(call);
  http::DocumentOptions options = WithLocation(rendering, links);
  options.cache_control = "private, no-store";
  options.compress = false;
  options.lasting = false;
  return http::MakeDocument(rendering.encode(links), std::move(options));
}

Task<http::Response> LinkedDocument(Call& call, std::string key, Preparation prepare) {
  LinkedCache& cache = call.services.linked;
  const OfflineRules::Held held = call.services.offline.held();
  std::shared_ptr<const Rendering> kept;
  if (held != OfflineRules::Held::kTooOld) kept = cache.Find(key);
  const bool marked = kept && held == OfflineRules::Held::kMarked;
  if (!kept) {
    LinkedCache::Ticket ticket = cache.TakeTicket();
    ASSIGN_OR_CO_RETURN(Prepared prepared, co_await Prepare(call, prepare));
    kept = std::make_shared<const Rendering>(std::move(prepared.rendering));
    // The data takes about as much memory as the document made of it.
    std::uint64_t cost = sizeof(Rendering) + 2 * kept->encode(Links()).size();
    cache.Put(ticket, std::move(key), kept->topic, kept, cost);
  }
  http::Response reply = http::Response::FromDocument(MakeLinked(call, *kept));
  if (marked) reply.fields.emplace_back("Warning", kCatalogUnreachable);
  co_return reply;
}

}  // namespace

Links Links::For(const Call& call) {
  Links links;
  if (call.visibility == Visibility::kPublic || !call.principal.bearer) return links;
  const Services& services = call.services;
  links.services_ = &services;
  links.bearer_ = *call.principal.bearer;
  links.expires_ = auth::CapabilitySigner::ExpiryFor(services.clock.Now(), services.access.url_ttl);
  return links;
}

std::string Links::operator()(std::string url) const {
  if (services_ == nullptr) return url;
  std::string decoded;
  std::string_view target = std::string_view(url).substr(services_->url.size());
  auto parsed = http::ParseTarget(http::Method::kGet, target, decoded);
  if (!parsed) throw std::logic_error("a location that no client can request: " + url);
  std::string signature = services_->signer.Sign(parsed->path, bearer_, expires_);
  url += parsed->query.empty() ? "?" : "&";
  return url += signature;
}

Task<http::Response> CachedDocument(Call& call, std::string_view variant, Preparation prepare) {
  DocumentCache& cache = call.services.documents;
  const std::string key = KeyOf(call.request().path, variant);
  const std::string canonical = KeyOf(CanonicalPath(call), variant);
  if (canonical != key) {
    const DocumentCache::Ticket ticket = cache.TakeTicket();
    const UnixSeconds now = call.services.clock.Now();
    if (std::shared_ptr<const http::Document> kept = cache.FindAgain(canonical, key, ticket, now)) {
      co_return http::Response::FromDocument(std::move(kept));
    }
  }
  ASSIGN_OR_CO_RETURN(Prepared prepared, co_await Prepare(call, prepare));
  Rendering& rendering = prepared.rendering;
  // Caches know that responses to a token are private; some need it said explicitly.
  if (call.visibility != Visibility::kPublic) rendering.options.cache_control = "private, no-cache";
  ASSIGN_OR_CO_RETURN(std::shared_ptr<const http::Document> document,
                      co_await Make(call.reading, rendering));
  const UnixSeconds now = call.services.clock.Now();
  cache.Put(prepared.ticket, key, rendering.topic, document, now);
  if (canonical != key) cache.Put(prepared.ticket, canonical, rendering.topic, document, now);
  co_return http::Response::FromDocument(std::move(document));
}

Task<http::Response> CachedLinks(Call& call, std::string_view variant, Preparation prepare) {
  if (call.visibility == Visibility::kPublic) {
    co_return co_await CachedDocument(call, variant, prepare);
  }
  co_return co_await LinkedDocument(call, KeyOf(call.request().path, variant), prepare);
}

std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services,
                                           std::string_view variant) {
  std::string_view path = exchange.request.path;
  std::string key_of_variant;
  if (!variant.empty()) path = key_of_variant = KeyOf(path, variant);
  auto kept = services.documents.FindDocument(path, services.clock.Now());
  // While nothing newer can be had, a document that is no longer fresh is the best available.
  if (!kept && services.offline.held() != OfflineRules::Held::kConfirmed) {
    kept = services.documents.FindDocument(path, std::nullopt);
  }
  // Made where it is returned to: it is not moved on the way.
  std::optional<http::Response> reply;
  if (!kept) return reply;
  reply.emplace().status = kept->status;
  reply->body = std::move(kept);
  return reply;
}

std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services) {
  return KeptDocument(exchange, services, "");
}

}  // namespace koya::api
