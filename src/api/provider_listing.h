// The wider provider API that tools and people read: lists, search, details.
#pragma once

#include "api/call.h"

namespace koya::api {

// GET /v1/providers
Task<http::Response> ListProviders(Call& call);
// GET /v1/providers/search
Task<http::Response> SearchProviders(Call& call);
// GET /v1/providers/{namespace}
Task<http::Response> ListProvidersOfNamespace(Call& call);
// GET /v1/providers/{namespace}/{type}
Task<http::Response> GetLatestProvider(Call& call);
// GET /v1/providers/{namespace}/{type}/{version}
Task<http::Response> GetProviderVersion(Call& call);

}  // namespace koya::api
