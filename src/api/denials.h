// What the audit log is told of requests that were denied.
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

// Who asks, as far as it is known, and from where.
Actor ActorOf(const auth::Principal& caller, const http::Request& request);

// Whether an answer of this status denies something: 401 and 403, and 429 where people and programs
// come in. Pages turn some of them into other answers, so that it is asked of what it would be.
bool IsDenied(const Route& route, unsigned status);

// Notes such an attempt, with whose token, session or capability URL was sent, even if that is no
// good any more. It costs a look-up in memory; for whom a URL was made, the catalog may be asked,
// as it is of one that is good.
Awaitable<void> NoteDenied(const Route& route, const http::Exchange& exchange, Services& services,
                           unsigned status);

// The same of an attempt that a handler denied in its own way: some protocols want another status.
void NoteDenied(const Call& call, unsigned status);

}  // namespace koya::api
