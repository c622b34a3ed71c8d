// Admission of requests: checks every request once, by the rules of auth/, which are the same for
// the protocols, the mirror and everything else.
//
// Requests are counted here too: once, for their caller, before any work is done for them.
//
// A thing that the caller may not know of does not exist for them: the same 404 as for a path where
// there is nothing.
#pragma once

#include <optional>
#include <string>

#include "base/task.h"

namespace koya::http {
struct Exchange;
struct Response;
}  // namespace koya::http

namespace koya::api {

struct Call;
struct Route;
struct Services;

// The cached response to this request, if it is known at once that the caller may have it; else
// nullopt. Never waits. REQUIRES: route.ready.
std::optional<http::Response> ReadyAnswer(const Route& route, http::Exchange& exchange,
                                          Services& services);

// Admits the caller and runs the route's handler. Fails: kUnauthenticated, kForbidden, kNotFound,
// kThrottled; as the handler.
Task<http::Response> Answer(const Route& route, http::Exchange& exchange, Services& services);

// ---- for handlers that learn from the body which thing is meant

// Admits the caller to a namespace. Fails: kNotFound, with the same message and after the same time
// whether the namespace is hidden from the caller or does not exist; as the catalog.
Task<void> AdmitToNamespace(Call& call, std::string ns);
// Admits the caller to packages of other registries. Fails: kNotFound.
Status AdmitToMirror(const Call& call);

}  // namespace koya::api
