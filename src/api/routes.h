// All URLs of Koya: the tables of all features (common/route.h), put together. docs/api.md is
// generated from them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/route.h"
#include "http/server/router.h"

namespace koya::http {
struct EngineError;
struct Response;
}  // namespace koya::http

namespace koya::api {

std::span<const Route> Routes();

// Binds the routes to `services`, for the engine. `services` must outlive them.
std::vector<http::RouteSpec> BindRoutes(Services& services);

// The fallback for paths without a route: 404, which anonymous callers get only if they may read at
// all.
http::RouteSpec BindElsewhere(Services& services);

// The descriptions of routes in the Markdown files, concatenated: "## METHOD PATTERN" and a text.
std::string_view RouteDetails();
// The text for one route; "": there is none.
std::string_view DetailsOf(const Route& route);
// Who may call it, in words: "a token with the scope admin, for the namespace".
std::string_view AccessName(Access access);

// The text of docs/api.md.
std::string ApiMarkdown();

// The path and query that end the mail to an account, for links in mails.
std::string EndMailPath(const Services& services, std::string_view account_id);

// Renders the engine's own errors (malformed HTTP, too long, no such method, …): a page for
// browsers, on paths of people and if pages are enabled; else JSON. Asks no other component, so it
// never waits, and looks up no user: the page has no name, has no forms that need a secret, and
// changes no cookie, since the cookies of such a request may not have been read.
http::Response EngineErrorAnswer(const http::EngineError& error, Services& services);

}  // namespace koya::api
