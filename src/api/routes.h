// Every URL that Koya answers, in one table: method, path, who may call it, what it does.
// docs/api.md is made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "domain/topic.h"
#include "http/server/router.h"

namespace koya::api {

// Who may call a route. Scopes, and rights to everything, are asked for before the handler runs;
// which namespace a call is about, and which rights it would give, the use case knows and asks.
enum class Access {
  kOpen,        // never looks at credentials
  kPage,        // the same, for people: who is signed in says a cookie, and errors are pages
  kRead,        // anybody, while reading is open; a token that is sent must be good
  kBrowse,      // the same, for people: whoever is signed in has the rights of their account, and
                // errors are pages
  kLinked,      // the same, and whoever was given a capability URL for it
  kOneself,     // a token, whatever its scope, for what is its account's own; the use case asks for
                // more where it is not
  kPublish,     // a token with the publish scope, for the namespace
  kAdmin,       // a token with the admin scope, for the namespace
  kGrant,       // a token with the admin scope, for the rights that it holds itself
  kEverything,  // a token with the admin scope for all namespaces: what belongs to none of them
};

// Whose the thing is that a readable route answers, and so who may know of it.
enum class About {
  kNobody,     // nothing of anybody's; or a change, of which the use case asks; or a page (kBrowse)
               // whose handler looks at who asks
  kNamespace,  // that of {namespace}
  kHost,       // of {hostname}: this server's own are {namespace}'s, the others' the mirror's
  kMirror,     // what is kept of other registries
  kListing,    // of several: the handler leaves out what the caller may not know of
};

enum class BodyLimit { kNone, kForm, kSmall, kKeys, kRelease, kModuleArchive, kProviderFile };

struct Route {
  http::Method method;
  std::string_view pattern;
  Access access;
  About about;
  BodyLimit body;
  HandlerFunction handler;
  std::string_view summary;  // one line; parameters and statuses are in the Markdown beside this
  // Asked first, when it is known at once that the caller may read: for access kOpen and kRead
  // only, which the compiler sees to.
  ReadyFunction ready = nullptr;
  // What is answered of what the caller may not know of, if it is not a 404. As of what is nowhere.
  HandlerFunction absent = nullptr;
};

// Whether it answers what is there; else it changes something.
constexpr bool IsReading(Access access) {
  return access == Access::kRead || access == Access::kBrowse || access == Access::kLinked;
}
// Whether nobody is asked for a token, nor is one looked at.
constexpr bool IsAnonymous(Access access) {
  return access == Access::kOpen || access == Access::kPage;
}
// Whether people ask: what goes wrong is told on a page.
constexpr bool IsForPeople(Access access) {
  return access == Access::kPage || access == Access::kBrowse;
}
// Whether a stranger may be answered.
constexpr bool IsOpen(Access access) { return IsAnonymous(access) || IsReading(access); }

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
