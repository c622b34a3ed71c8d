// Documents of the docs of providers, published here or mirrored.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "wire/provider_docs.h"

namespace koya::http {
struct Exchange;
struct Request;
struct Response;
}  // namespace koya::http
namespace koya::service {
struct DocList;
struct DocPage;
}  // namespace koya::service

namespace koya::api {

struct Services;

// Parses ?language=: "" for the language of configurations, in any of its spellings. Fails:
// kInvalid.
Result<std::string> ReadDocLanguage(const http::Request& request);

wire::DocList DocListOf(service::DocList found);
wire::DocPage DocPageOf(service::DocPage page);

// The cached docs page for this request. A ReadyFunction.
std::optional<http::Response> KeptProviderDoc(const http::Exchange& exchange, Services& services);

}  // namespace koya::api
