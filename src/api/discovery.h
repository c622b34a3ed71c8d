// GET /.well-known/terraform.json
#pragma once

#include "api/call.h"

namespace koya::api {

// Answered to everybody, whatever Authorization says: clients send expired tokens here too, and
// login must be able to begin.
Task<http::Response> GetDiscovery(Call& call);

}  // namespace koya::api
