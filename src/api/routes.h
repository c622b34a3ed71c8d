// Every URL that Koya answers: the tables of all features (route_tables.h), put together.
// docs/api.md is made from them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/route.h"
#include "domain/topic.h"
#include "http/server/router.h"

namespace koya::api {

std::span<const Route> Routes();

// The routes made ready for the engine. `services` must outlive them.
std::vector<http::RouteSpec> BindRoutes(Services& services);

// What answers the paths that no route has: nothing is there, which strangers are only told when
// they may read at all.
http::RouteSpec BindElsewhere(Services& services);

// What the Markdown files say of routes, one after the other: "## METHOD PATTERN" and a text.
std::string_view RouteDetails();
// Of one of them, the text; "": there is none.
std::string_view DetailsOf(const Route& route);
// Who may call it, in words: "anybody; credentials are ignored".
std::string_view AccessName(Access access);

// docs/api.md.
std::string ApiMarkdown();

}  // namespace koya::api
