// Documents of providers' docs, published here or mirrored.
#pragma once

#include <string>

#include "http/server/router.h"
#include "service/provider_docs.h"
#include "wire/provider_docs.h"

namespace koya::api {

// ?language=: "" for the language of configurations, whatever it is asked for as. Fails: kInvalid.
Result<std::string> ReadDocLanguage(const http::Request& request);

wire::DocList DocListOf(service::DocList found);
wire::DocPage DocPageOf(service::DocPage page);

}  // namespace koya::api
