// Every URL that Koya answers, in one table: method, path, who may call it, what it does.
// docs/api.md is made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "http/server/router.h"

namespace koya::api {

// Who may call a route. Scopes, and rights to everything, are asked for before the handler runs;
// which namespace a call is about, and which rights it would give, the use case knows and asks.
enum class Access {
  kOpen,        // never looks at credentials
  kRead,        // anybody, while reading is open; a token that is sent must be good
  kPublish,     // a token with the publish scope, for the namespace
  kAdmin,       // a token with the admin scope, for the namespace
  kGrant,       // a token with the admin scope, for the rights that it holds itself
  kEverything,  // a token with the admin scope for all namespaces: what belongs to none of them
};

enum class BodyLimit { kNone, kSmall, kKeys, kRelease, kModuleArchive, kProviderFile };

struct Route {
  http::Method method;
  std::string_view pattern;
  Access access;
  BodyLimit body;
  HandlerFunction handler;
  std::string_view summary;  // one line; parameters and statuses are in the Markdown beside this
  // Asked first, when it is known at once that the caller may read: for access kOpen and kRead
  // only, which the compiler sees to.
  ReadyFunction ready = nullptr;
};

std::span<const Route> Routes();

// The routes made ready for the engine. `services` must outlive them.
std::vector<http::RouteSpec> BindRoutes(Services& services);

// What the Markdown files say of routes, one after the other: "## METHOD PATTERN" and a text.
std::string_view RouteDetails();

// docs/api.md.
std::string ApiMarkdown();

}  // namespace koya::api
