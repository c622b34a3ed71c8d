// What the engine's own errors (no HTTP, too long, no such method, …) are to whoever asked: a page
// for browsers, where people look and pages are shown at all; else JSON.
#pragma once

namespace koya::http {
struct EngineError;
struct Response;
}  // namespace koya::http

namespace koya::api {

struct Services;

// Asks nobody, so that it never waits; knows nobody, so that the page has no name, no forms that
// need a secret, and changes no cookie: those of such a request may not have been read.
http::Response EngineErrorAnswer(const http::EngineError& error, Services& services);

}  // namespace koya::api
