// Tokens over the API: /api/v1/tokens.
#pragma once

#include "api/call.h"

namespace koya::api {

// POST /api/v1/tokens: 201 with the token, which is shown this once.
Task<http::Response> CreateToken(Call& call);
// GET /api/v1/tokens: never the secrets.
Task<http::Response> ListTokens(Call& call);
// DELETE /api/v1/tokens/{name}: 204.
Task<http::Response> RevokeToken(Call& call);

}  // namespace koya::api
