// Documents of providers: of their docs, published here or mirrored, and of one version.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "wire/provider_docs.h"

namespace koya {
struct ProviderRelease;
enum class Visibility;
}  // namespace koya
namespace koya::http {
struct Exchange;
struct Request;
struct Response;
}  // namespace koya::http
namespace koya::service {
struct DocList;
struct DocPage;
}  // namespace koya::service
namespace koya::wire {
struct ProviderDetails;
}

namespace koya::api {

struct Services;

// Parses ?language=: "" for the language of configurations, in any of its spellings. Fails:
// kInvalid.
Result<std::string> ReadDocLanguage(const http::Request& request);

wire::DocList DocListOf(service::DocList found);
wire::DocPage DocPageOf(service::DocPage page);

// The cached docs page for this request. A ReadyFunction.
std::optional<http::Response> KeptProviderDoc(const http::Exchange& exchange, Services& services);

// ---- a version in the wider API, also for the twins of pages

// Without the list of all versions.
wire::ProviderDetails DetailsOf(const ProviderRelease& release, Visibility visibility);

}  // namespace koya::api
