// Publishing and withdrawing modules: /api/v1/modules/….
#pragma once

#include "api/call.h"

namespace koya::api {

// PUT /api/v1/modules/{namespace}/{name}/{system}/{version}: the archive is the body.
// 201 published, 200 the same bytes again.
Task<http::Response> PublishModule(Call& call);

// DELETE /api/v1/modules/{namespace}/{name}/{system}/{version} with {"reason": "…"}: 204.
Task<http::Response> WithdrawModule(Call& call);

}  // namespace koya::api
