// Audit of denied requests.
#pragma once

#include "base/task.h"

namespace koya {
struct Actor;
}
namespace koya::auth {
struct Principal;
}
namespace koya::http {
struct Exchange;
struct Request;
}  // namespace koya::http

namespace koya::api {

struct Call;
struct Route;
struct Services;

// The caller, as far as it is known, and where the request came from.
Actor ActorOf(const auth::Principal& caller, const http::Request& request);

// True if a response of this status denies something: 401 and 403, and 429 on routes for signing in
// or getting tokens. Pages turn some of these into other responses: pass the original status.
bool IsDenied(const Route& route, unsigned status);

// Notes a denied attempt with the owner of the token, session or capability URL that was sent, even
// if that is no longer valid. Costs a look-up in memory; for the owner of a URL it may ask the
// catalog, as for a valid URL.
Awaitable<void> NoteDenied(const Route& route, const http::Exchange& exchange, Services& services,
                           unsigned status);

// The same for an attempt that a handler denied in its own way: some protocols require another
// status.
void NoteDenied(const Call& call, unsigned status);

}  // namespace koya::api
