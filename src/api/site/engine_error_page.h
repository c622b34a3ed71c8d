// Renders the engine's own errors (malformed HTTP, too long, no such method, …): a page for
// browsers, on paths of people and if pages are enabled; else JSON.
#pragma once

namespace koya::http {
struct EngineError;
struct Response;
}  // namespace koya::http

namespace koya::api {

struct Services;

// Asks no other component, so it never waits, and looks up no user: the page has no name, has no
// forms that need a secret, and changes no cookie, since the cookies of such a request may not have
// been read.
http::Response EngineErrorAnswer(const http::EngineError& error, Services& services);

}  // namespace koya::api
