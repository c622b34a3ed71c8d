// Documents of providers' docs, published here or mirrored.
#pragma once

#include <string>

#include "http/server/router.h"
#include "service/provider_docs.h"
#include "wire/provider_docs.h"

namespace koya::api {

struct Services;

// ?language=: "" for the language of configurations, whatever it is asked for as. Fails: kInvalid.
Result<std::string> ReadDocLanguage(const http::Request& request);

wire::DocList DocListOf(service::DocList found);
wire::DocPage DocPageOf(service::DocPage page);

// The page of docs kept for this request. A ReadyFunction.
std::optional<http::Response> KeptProviderDoc(const http::Exchange& exchange, Services& services);

}  // namespace koya::api
