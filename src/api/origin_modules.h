// Origin emulation of modules: another registry under its own protocol, every byte from here.
#pragma once

#include "api/call.h"

namespace koya::api {

// GET /origin/{hostname}/v1/modules/{namespace}/{name}/{system}/versions
Task<http::Response> ListOriginModuleVersions(Call& call);

// GET /origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/download: fetches the
// module when it was never asked for before.
Task<http::Response> GetOriginModuleDownload(Call& call);
std::optional<http::Response> KeptOriginModuleDownload(const http::Exchange& exchange,
                                                       Services& services);

// GET /origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/{file}
Task<http::Response> GetOriginModuleArchive(Call& call);

}  // namespace koya::api
