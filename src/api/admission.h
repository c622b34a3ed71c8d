// Who may have which answer. Every request is judged here, once, by the rules of auth/: the same
// for the protocols, the mirror and everything else.
//
// What was asked is counted here too, once: for whom it is, and before anything is done for it.
//
// What somebody may not know of does not exist: the same 404 as for what is nowhere.
#pragma once

#include <optional>

#include "base/task.h"

namespace koya::http {
struct Exchange;
struct Response;
}  // namespace koya::http

namespace koya::api {

struct Route;
struct Services;

// What is at hand for this request, when it is known at once that the caller may have it; else
// nullopt. Never waits. REQUIRES: route.ready.
std::optional<http::Response> ReadyAnswer(const Route& route, http::Exchange& exchange,
                                          Services& services);

// Admits the caller, and lets the route's handler answer. Fails: kUnauthenticated, kForbidden,
// kNotFound, kThrottled; as the handler.
Task<http::Response> Answer(const Route& route, http::Exchange& exchange, Services& services);

}  // namespace koya::api
