// The words of the route table: who may call a route, whose the thing is that it answers, and what
// it takes. Rows are made by Route::Get, Put, Post and Delete; one that contradicts itself does not
// compile.
#pragma once

#include <optional>
#include <string_view>

#include "base/task.h"
#include "http/server/message.h"

namespace koya::http {
struct Exchange;
}

namespace koya::api {

struct Call;
struct Services;

using HandlerFunction = Task<http::Response> (*)(Call&);

// What is kept for a request, or nullopt: then the handler makes it. Never waits.
using ReadyFunction = std::optional<http::Response> (*)(const http::Exchange&, Services&);

// The page that is kept for this request, for strangers, and for everybody while the catalog is
// away. A ReadyFunction.
std::optional<http::Response> KeptPage(const http::Exchange& exchange, Services& services);

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
  kOwner,       // a token with the publish scope of an account that owns the namespace, which the
                // use case looks at; else one with the admin scope, for it
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

struct Route {
  http::Method method;
  std::string_view pattern;
  Access access;
  About about;
  BodyLimit body;
  HandlerFunction handler;
  std::string_view summary;  // one line; parameters and statuses are in the Markdown beside this
  // Asked first, when it is known at once that the caller may read.
  ReadyFunction ready = nullptr;
  // What is answered of what the caller may not know of, if it is not a 404. As of what is nowhere.
  HandlerFunction absent = nullptr;

  // A row of what is read. `ready`: only where strangers may be answered.
  static consteval Route Get(std::string_view pattern, Access access, About about,
                             HandlerFunction handler, std::string_view summary,
                             ReadyFunction ready = nullptr, HandlerFunction absent = nullptr) {
    Route row{http::Method::kGet, pattern, access, about, BodyLimit::kNone, handler, summary};
    row.ready = ready;
    row.absent = absent;
    if (!row.SaysWhose()) throw "who may know of it does not follow from the row";
    if (ready != nullptr && !IsOpen(access)) throw "what is ready is for anonymous callers, too";
    return row;
  }
  // Rows of what changes something.
  static consteval Route Put(std::string_view pattern, Access access, BodyLimit body,
                             HandlerFunction handler, std::string_view summary) {
    return Change(http::Method::kPut, pattern, access, body, handler, summary);
  }
  static consteval Route Post(std::string_view pattern, Access access, BodyLimit body,
                              HandlerFunction handler, std::string_view summary) {
    return Change(http::Method::kPost, pattern, access, body, handler, summary);
  }
  static consteval Route Delete(std::string_view pattern, Access access, BodyLimit body,
                                HandlerFunction handler, std::string_view summary) {
    return Change(http::Method::kDelete, pattern, access, body, handler, summary);
  }

 private:
  static consteval Route Change(http::Method method, std::string_view pattern, Access access,
                                BodyLimit body, HandlerFunction handler, std::string_view summary) {
    if (IsReading(access)) throw "a change is not asked for by reading";
    return {method, pattern, access, About::kNobody, body, handler, summary};
  }

  // What is kept is sent to all who may read it, and the row alone says who they are.
  constexpr bool SaysWhose() const {
    switch (about) {
      case About::kNobody:
        return !IsReading(access) || access == Access::kBrowse;
      case About::kNamespace:
        return IsReading(access) && pattern.contains("{namespace}");
      case About::kHost:
        return IsReading(access) && pattern.contains("{hostname}") &&
               pattern.contains("{namespace}");
      case About::kMirror:
        return IsReading(access);
      case About::kListing:
        return IsReading(access) &&
               (ready == nullptr || (access == Access::kBrowse && ready == KeptPage));
    }
    return false;
  }
};

}  // namespace koya::api
