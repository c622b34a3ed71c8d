// The provider network mirror: this server's own providers and, pulled through, other registries'.
#pragma once

#include "api/call.h"

namespace koya::api {

// GET /mirror/{hostname}/{namespace}/{type}/{file}: index.json, or VERSION.json, which is never
// 404: clients would give up on their other sources.
Task<http::Response> GetMirrorDocument(Call& call);

// GET /mirror/{hostname}/{namespace}/{type}/{version}/{file}: a zip, fetched when it is not held,
// SHA256SUMS or its signature.
Task<http::Response> GetMirrorFile(Call& call);

}  // namespace koya::api
