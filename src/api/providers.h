// The provider registry protocol, and the files it points at.
#pragma once

#include "api/call.h"

namespace koya::api {

// GET /v1/providers/{namespace}/{type}/versions
Task<http::Response> ListProviderVersions(Call& call);

// GET /v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}
Task<http::Response> GetProviderDownload(Call& call);

// GET /download/providers/{namespace}/{type}/{version}/{file}: a zip, SHA256SUMS or its signature,
// byte for byte as published.
Task<http::Response> GetProviderFile(Call& call);

}  // namespace koya::api
