// What the audit log is told of requests that were denied.
#pragma once

#include "api/routes.h"

namespace koya::api {

// Who asks, as far as it is known, and from where.
Actor ActorOf(const auth::Principal& caller, const http::Request& request);

// Notes an attempt whose answer is 401 or 403, or on a page 429; nothing for any other. Pages turn
// some of them into other answers, so that it is told which it would be. It costs a look-up in
// memory, and never waits.
void NoteIfDenied(const Route& route, const http::Request& request, Services& services,
                  unsigned status);

}  // namespace koya::api
