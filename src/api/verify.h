// "koya verify": what is kept, published and mirrored, and whether its bytes are still what they
// were.
#pragma once

#include "api/call.h"

namespace koya::api {

// GET /api/v1/verify: everything that can be checked, page by page.
Task<http::Response> ListKeptThings(Call& call);

// POST …/verify, of what was published here. An author may check what they may publish.
Task<http::Response> CheckModule(Call& call);
Task<http::Response> CheckProviderDocuments(Call& call);
Task<http::Response> CheckProviderPackage(Call& call);

// The same of what is kept of other registries.
Task<http::Response> CheckStockModule(Call& call);
Task<http::Response> CheckStockDocuments(Call& call);
Task<http::Response> CheckStockPackage(Call& call);

}  // namespace koya::api
