#include "upstream/service_directory.h"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>

#include "base/text.h"
#include "http/media_type.h"
#include "upstream/guarded_request.h"

namespace koya::upstream {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 2> kKnownServices{"modules.v1", "providers.v1"};

Failure BadDiscovery(const Document& document, std::string_view words) {
  return FailBadUpstream("the discovery document at {} {}", PlaceOf(document.url), words);
}

Result<json::object> ParseDiscovery(const Document& document) {
  // Unlike every other answer of a registry, this one's type is checked by the clients.
  if (document.content_type.empty()) {
    return BadDiscovery(document, "has no Content-Type; clients accept application/json only");
  }
  if (!http::IsJsonMediaType(document.content_type)) {
    return BadDiscovery(
        document, fmt::format("has the Content-Type \"{}\"; clients accept application/json only",
                              Printable(document.content_type, 80)));
  }
  boost::system::error_code failed;
  json::value value = json::parse({document.body.data(), document.body.size()}, failed);
  if (failed) return BadDiscovery(document, fmt::format("is not JSON: {}", failed.message()));
  if (!value.is_object()) return BadDiscovery(document, "is JSON, but not an object");
  return std::move(value.get_object());
}

Result<http::Url> ServiceUrl(const Fetcher& fetcher, const HostName& host, std::string_view id,
                             const http::Url& document, const std::string& value) {
  Result<http::Url> url = http::ResolveUrl(document, value);
  if (!url) {
    return FailBadUpstream("{} says that its service {} is at \"{}\", which is not a URL",
                           host.display(), id, Printable(value, 80));
  }
  RETURN_IF_ERROR(fetcher.CheckUrl(fmt::format("the service {} of {}", id, host.display()), *url));
  url->query.clear();
  url->fragment.clear();
  return url;
}

}  // namespace

std::string TokenFor(const HostName& host, const http::Url& url, const TokenSource& tokens) {
  std::string name = host.ascii().substr(0, host.ascii().find(':'));
  bool allowed =
      url.scheme == "https" && (url.Authority() == host.ascii() || url.host.ends_with("." + name));
  return allowed && tokens ? tokens(host) : std::string();
}

Result<http::Url> ServiceDirectory::FindService(const HostName& host, std::string_view id,
                                                const Deadline& patience) {
  ASSIGN_OR_RETURN(Services services, Discover(host, patience));
  auto found = services.values.find(std::string(id));
  if (found == services.values.end()) {
    return FailNotFound("{} does not offer the service {}", host.display(), id);
  }
  if (!found->second) {
    return FailBadUpstream("{} says where its service {} is with something that is not a URL",
                           host.display(), id);
  }
  return ServiceUrl(fetcher_, host, id, services.document, *found->second);
}

void ServiceDirectory::SetServices(const HostName& host,
                                   const std::map<std::string, std::string>& values) {
  Services services{.document = http::ParseUrl(fmt::format("https://{}/", host.ascii())).value(),
                    .values = {}};
  for (const auto& [id, value] : values) services.values[id] = value;
  hosts_.Put(host.ascii(), std::move(services), SteadyTime::max());
}

Result<ServiceDirectory::Services> ServiceDirectory::Discover(const HostName& host,
                                                              const Deadline& patience) {
  auto held = hosts_.Peek(host.ascii());
  if (held && fetcher_.clock().Now() < held->until) return std::move(held->value);
  Deadline asking = patience;
  if (held) {
    // A host that hangs must leave time to use the cached services.
    SteadyTime now = fetcher_.clock().Now();
    asking.deadline = now + (patience.deadline - now) / 2;
  }
  Result<Services> fetched = Fetch(host, asking);
  if (fetched) {
    SteadyTime until = fetcher_.clock().Now() + fetcher_.options().discovery_ttl;
    hosts_.Put(host.ascii(), *fetched, until);
    return fetched;
  }
  // A host that took its services away has said so; one that is in trouble has said nothing.
  if (held && fetched.error().kind != ErrorKind::kNotFound) {
    return std::move(held->value);
  }
  return fetched;
}

Result<ServiceDirectory::Services> ServiceDirectory::Fetch(const HostName& host,
                                                           const Deadline& patience) {
  DocumentRequest request{.what = "the discovery document",
                          .fields = {{"Accept", "application/json"}},
                          .max_bytes = kMaxDiscovery,
                          .patience = patience};
  ASSIGN_OR_RETURN(request.url, http::ParseUrl(fmt::format("https://{}/.well-known/terraform.json",
                                                           host.ascii())));
  request.token = TokenFor(host, request.url, tokens_);
  ASSIGN_OR_RETURN(Document document, fetcher_.Get(request));
  ASSIGN_OR_RETURN(json::object object, ParseDiscovery(document));
  Services services{.document = document.url, .values = {}};
  for (std::string_view id : kKnownServices) {
    const json::value* value = object.if_contains(id);
    if (value == nullptr) continue;
    std::optional<std::string>& kept = services.values[std::string(id)];
    if (value->is_string() && value->get_string().size() <= kMaxUrlBytes)
      kept.emplace(value->get_string().data(), value->get_string().size());
  }
  return services;
}

}  // namespace koya::upstream
