// The keys that a namespace's releases are signed with.
#pragma once

#include "api/call.h"

namespace koya::api {

// GET /api/v1/namespaces/{namespace}/keys
Task<http::Response> ListKeys(Call& call);
// POST …/keys
Task<http::Response> AddKeys(Call& call);
// POST …/keys/rotate
Task<http::Response> RotateKey(Call& call);
// DELETE …/keys/{key_id}
Task<http::Response> RemoveKey(Call& call);

}  // namespace koya::api
