// Finds the credentials of a request. Pure functions.
//
// Clients send Basic on their own, from a `.netrc`, also for public things (ADR 86). So routes for
// readers take a Koya token from its password, and any other Basic field counts as none. Other
// routes take Bearer only.
#pragma once

#include <optional>
#include <string_view>

#include "auth/token.h"
#include "http/server/message.h"

namespace koya::api {

enum class Access;

// The Authorization field that counts on a route with this access, for service::Tokens: a view into
// the request, or into `buffer`. nullopt: none counts.
std::optional<std::string_view> FindCredentials(Access access, const http::Request& request,
                                                auth::BasicBuffer& buffer);
// Whether there is one.
bool HasCredentials(Access access, const http::Request& request);

}  // namespace koya::api
