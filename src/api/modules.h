// The module registry protocol, and the archives it points at.
#pragma once

#include "api/call.h"

namespace koya::api {

// GET /v1/modules/{namespace}/{name}/{system}/versions
Task<http::Response> ListModuleVersions(Call& call);

// GET /v1/modules/{namespace}/{name}/{system}/{version}/download: 200 with {"location"} for
// OpenTofu and whoever accepts JSON, 204 for everybody else; X-Terraform-Get in both.
Task<http::Response> GetModuleDownload(Call& call);

// The same from what is kept.
std::optional<http::Response> KeptModuleDownload(const http::Exchange& exchange,
                                                 Services& services);

// GET /download/modules/{namespace}/{name}/{system}/{version}/{file}
Task<http::Response> GetModuleArchive(Call& call);

}  // namespace koya::api
