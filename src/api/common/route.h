// Vocabulary of the route table: who may call a route, who owns its subject, and which body it
// takes. Rows are made by Route::For, of an endpoint that the client calls, too (wire/endpoint.h),
// and by Route::Get, Put, Post and Delete; a row that contradicts itself does not compile.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "base/task.h"
#include "http/server/message.h"

namespace koya::http {
struct Exchange;
}
namespace koya::wire {
struct EndpointShapes;
}

namespace koya::api {

struct Call;
struct Services;

using HandlerFunction = Task<http::Response> (*)(Call&);

// The cached response to a request, or nullopt: then the handler makes it. Never waits.
using ReadyFunction = std::optional<http::Response> (*)(const http::Exchange&, Services&);

// The cached page for this request, for anonymous callers, and for all callers while the catalog is
// unavailable. A ReadyFunction.
std::optional<http::Response> KeptPage(const http::Exchange& exchange, Services& services);

// Who may call a route. Scopes, and permissions for all namespaces, are checked before the handler
// runs; the use case knows which namespace a call is about and which permissions it would give, and
// checks those.
enum class Access {
  kOpen,       // never looks at credentials
  kPage,       // the same, for people: a cookie identifies the user, and errors are pages
  kRead,       // any caller (anonymous: while reading is open); a sent token must be valid
  kBrowse,     // the same, for people: signed-in users have the permissions of their account, and
               // errors are pages
  kSignedUrl,  // the same, and callers with a capability URL for it
  kSelf,       // a token, whatever its scope, for the things of its own account; for others the
               // use case requires more
  kPublish,    // a token with the publish scope, for the namespace
  kOwner,      // a token with the publish scope of an account that owns the namespace, which the
               // use case checks; else one with the admin scope, for the namespace
  kNamespaceAdmin,  // a token with the admin scope, for the namespace
  kGrant,           // a token with the admin scope, for the permissions that it has itself
  kAdmin,           // a token with the admin scope for all namespaces: things that belong to none
};

// Who owns the subject of a readable route, and so who may know of it.
enum class ResourceScope {
  kNone,       // no owner; or a change, which the use case checks; or a page (kBrowse) whose
               // handler checks the caller
  kNamespace,  // the namespace {namespace}
  kHost,       // of {hostname}: {namespace} for this server's own, the mirror for other hosts
  kMirror,     // the mirror: packages of other registries
  kListing,    // several: the handler leaves out entries that the caller may not know of
};

enum class BodyLimit {
  kNone,
  kForm,
  kSmall,
  kKeys,
  kMessage,
  kRelease,
  kModuleArchive,
  kProviderFile,
  kAttachment
};

// True if it only reads; else it changes something.
constexpr bool IsReading(Access access) {
  return access == Access::kRead || access == Access::kBrowse || access == Access::kSignedUrl;
}
// True if the route neither requires nor checks a token.
constexpr bool IsAnonymous(Access access) {
  return access == Access::kOpen || access == Access::kPage;
}
// True for routes of people: errors are shown as pages.
constexpr bool IsForPeople(Access access) {
  return access == Access::kPage || access == Access::kBrowse;
}
// True if anonymous callers may get a response.
constexpr bool IsOpen(Access access) { return IsAnonymous(access) || IsReading(access); }

struct Route {
  http::Method method;
  std::string_view pattern;
  Access access;
  ResourceScope about;
  BodyLimit body;
  HandlerFunction handler;
  std::string_view summary;  // one line; parameters and statuses are in the Markdown beside this
  // Asked first, when it is known at once that the caller may read.
  ReadyFunction ready = nullptr;
  // The response for things that the caller may not know of or that do not exist, if it is not a
  // 404.
  HandlerFunction absent = nullptr;
  // Of an endpoint; null: koya's client does not call it.
  const wire::EndpointShapes* shapes = nullptr;
  // Whether a frozen registry refuses it (service/common/freeze.h).
  bool changes = false;
  // The positions of these among the {names} of the pattern; arbitrary where it lacks them.
  std::size_t hostname_at = PositionIn(pattern, "{hostname}");
  std::size_t namespace_at = PositionIn(pattern, "{namespace}");

  // The same row of a request that changes nothing stored in spite of its method, or that a frozen
  // registry needs.
  consteval Route WhileFrozen() const {
    if (!changes) throw "a frozen registry answers it anyway";
    Route row = *this;
    row.changes = false;
    return row;
  }
  // The same row of a GET that changes something.
  consteval Route Changing() const {
    if (changes) throw "it is known to change something";
    Route row = *this;
    row.changes = true;
    return row;
  }

  // A row of a wire::Endpoint, as the functions below make it.
  template <class Endpoint>
  static consteval Route For(const Endpoint& endpoint, Access access, ResourceScope about,
                             HandlerFunction handler, std::string_view summary,
                             ReadyFunction ready = nullptr, HandlerFunction absent = nullptr) {
    if (endpoint.method != "GET") throw "the row of a change needs a limit of its body";
    Route row = Get(endpoint.pattern, access, about, handler, summary, ready, absent);
    row.shapes = &Endpoint::kShapes;
    return row;
  }
  template <class Endpoint>
  static consteval Route For(const Endpoint& endpoint, Access access, BodyLimit body,
                             HandlerFunction handler, std::string_view summary) {
    Route row = Change(MethodOf(endpoint.method), endpoint.pattern, access, body, handler, summary);
    row.shapes = &Endpoint::kShapes;
    return row;
  }

  // A row that reads. `ready`: only if anonymous callers may get a response.
  static consteval Route Get(std::string_view pattern, Access access, ResourceScope about,
                             HandlerFunction handler, std::string_view summary,
                             ReadyFunction ready = nullptr, HandlerFunction absent = nullptr) {
    Route row{http::Method::kGet, pattern, access, about, BodyLimit::kNone, handler, summary};
    row.ready = ready;
    row.absent = absent;
    if (!row.SaysWhose()) throw "the row does not say who can read it";
    if (ready != nullptr && !IsOpen(access)) throw "a ready response requires anonymous access";
    return row;
  }
  // A row that reads what its body asks for.
  static consteval Route Ask(std::string_view pattern, Access access, ResourceScope about,
                             BodyLimit body, HandlerFunction handler, std::string_view summary) {
    Route row = Get(pattern, access, about, handler, summary);
    row.method = http::Method::kPost;
    row.body = body;
    return row;
  }
  template <class Endpoint>
  static consteval Route For(const Endpoint& endpoint, Access access, ResourceScope about,
                             BodyLimit body, HandlerFunction handler, std::string_view summary) {
    Route row = Ask(endpoint.pattern, access, about, body, handler, summary);
    row.shapes = &Endpoint::kShapes;
    return row;
  }
  // Rows that change something.
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
  static constexpr std::size_t PositionIn(std::string_view pattern, std::string_view name) {
    const std::string_view before = pattern.substr(0, pattern.find(name));
    return static_cast<std::size_t>(std::ranges::count(before, '{'));
  }
  static consteval http::Method MethodOf(std::string_view name) {
    if (name == "PUT") return http::Method::kPut;
    if (name == "POST") return http::Method::kPost;
    if (name == "DELETE") return http::Method::kDelete;
    throw "no method of a change";
  }
  static consteval Route Change(http::Method method, std::string_view pattern, Access access,
                                BodyLimit body, HandlerFunction handler, std::string_view summary) {
    if (IsReading(access)) throw "a change requires more than read access";
    Route row{method, pattern, access, ResourceScope::kNone, body, handler, summary};
    row.changes = true;
    return row;
  }

  // A cached response is sent to all who may read it, and the row alone must say who they are.
  constexpr bool SaysWhose() const {
    switch (about) {
      case ResourceScope::kNone:
        return !IsReading(access) || access == Access::kBrowse;
      case ResourceScope::kNamespace:
        return IsReading(access) && pattern.contains("{namespace}");
      case ResourceScope::kHost:
        return IsReading(access) && pattern.contains("{hostname}") &&
               pattern.contains("{namespace}");
      case ResourceScope::kMirror:
        return IsReading(access);
      case ResourceScope::kListing:
        return IsReading(access) &&
               (ready == nullptr || (access == Access::kBrowse && ready == KeptPage));
    }
    return false;
  }
};

// ---- tables of routes, each defined beside its handlers; routes.cc joins them in this order

std::span<const Route> DiscoveryRoutes();
std::span<const Route> ModuleRoutes();
std::span<const Route> ProviderRoutes();
std::span<const Route> AttachmentRoutes();
std::span<const Route> MirrorRoutes();
std::span<const Route> OriginRoutes();
std::span<const Route> HomePageRoutes();
std::span<const Route> SignInPageRoutes();
std::span<const Route> ConsentRoutes();
std::span<const Route> OauthRoutes();
std::span<const Route> FirstRunRoutes();
std::span<const Route> SitePageRoutes();
std::span<const Route> OidcSignInRoutes();
std::span<const Route> SearchPageRoutes();
std::span<const Route> ProviderPageRoutes();
std::span<const Route> ProviderHistoryPageRoutes();
std::span<const Route> ProviderDocsPageRoutes();
std::span<const Route> VersionFormRoutes();
std::span<const Route> MirrorPageRoutes();
std::span<const Route> MirrorPackagesPageRoutes();
std::span<const Route> MirrorProviderPageRoutes();
std::span<const Route> ModulePageRoutes();
std::span<const Route> ModuleChangesPageRoutes();
std::span<const Route> ModuleFilePageRoutes();
std::span<const Route> NamespacePageRoutes();
std::span<const Route> NamespacePeopleRoutes();
std::span<const Route> NamespaceTrustPageRoutes();
std::span<const Route> SetupPageRoutes();
std::span<const Route> ClientDownloadRoutes();
std::span<const Route> AccountPageRoutes();
std::span<const Route> NotificationRoutes();
std::span<const Route> FeedRoutes();
std::span<const Route> AdminStateRoutes();
std::span<const Route> AdminAuditPageRoutes();
std::span<const Route> AdminGrantsPageRoutes();
std::span<const Route> AdminUserPageRoutes();
std::span<const Route> AdminGroupPageRoutes();
std::span<const Route> AdminSignInPageRoutes();
std::span<const Route> ManualPageRoutes();
std::span<const Route> ModuleListingRoutes();
std::span<const Route> ProviderListingRoutes();
std::span<const Route> OpenapiRoutes();
std::span<const Route> SearchRoutes();
std::span<const Route> LockRoutes();
std::span<const Route> PolicyRoutes();
std::span<const Route> McpRoutes();
std::span<const Route> ModuleDiffRoutes();
std::span<const Route> ModulePublishingRoutes();
std::span<const Route> ModuleInsideRoutes();
std::span<const Route> ProviderPublishingRoutes();
std::span<const Route> ProviderDiffRoutes();
std::span<const Route> ProviderDocsRoutes();
std::span<const Route> SigningKeyRoutes();
std::span<const Route> VerifyRoutes();
std::span<const Route> MirrorStatusRoutes();
std::span<const Route> InventoryRoutes();
std::span<const Route> MirrorImportRoutes();
std::span<const Route> MirrorDocsRoutes();
std::span<const Route> AuditRoutes();
std::span<const Route> UsageRoutes();
std::span<const Route> TokenRoutes();
std::span<const Route> SessionRoutes();
std::span<const Route> IdentityProviderRoutes();
std::span<const Route> UpkeepRoutes();
std::span<const Route> BackupRoutes();
std::span<const Route> AccountRoutes();
std::span<const Route> NamespaceRoutes();
std::span<const Route> TrustRoutes();

}  // namespace koya::api
