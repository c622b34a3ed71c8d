// Origin emulation: another registry under its own protocol, every byte from here. For clients'
// `host "registry.opentofu.org" {}` blocks.
#pragma once

#include "api/call.h"

namespace koya::api {

// GET /origin/{hostname}/v1/providers/{namespace}/{type}/versions
Task<http::Response> ListOriginVersions(Call& call);

// GET /origin/{hostname}/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}
Task<http::Response> GetOriginDownload(Call& call);

}  // namespace koya::api
