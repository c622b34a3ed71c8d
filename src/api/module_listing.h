// The wider module API that tools, pages and people read: lists, search, latest, details.
// Paging is limit and offset (15 unless asked, 100 at most); version lists are never paged.
#pragma once

#include "api/call.h"

namespace koya::api {

// GET /v1/modules
Task<http::Response> ListModules(Call& call);
// GET /v1/modules/search?q=…
Task<http::Response> SearchModules(Call& call);
// GET /v1/modules/{namespace}
Task<http::Response> ListModulesOfNamespace(Call& call);
// GET /v1/modules/{namespace}/{name}: the latest version for each system
Task<http::Response> ListModulesOfName(Call& call);
// GET /v1/modules/{namespace}/{name}/{system}: the latest version, with the list of all
Task<http::Response> GetLatestModule(Call& call);
// GET /v1/modules/{namespace}/{name}/{system}/{version}
Task<http::Response> GetModuleVersion(Call& call);
// GET /v1/modules/{namespace}/{name}/{system}/download: 302 to the latest version's download
Task<http::Response> RedirectToLatestDownload(Call& call);

}  // namespace koya::api
