// Responses with pages that show the contents of the registry (Access::kBrowse).
//
//   Task<http::Response> ShowThing(Call& call) {
//     PageAnswer page(call);
//     ASSIGN_OR_CO_RETURN(Thing thing, co_await call.services.things.Find(…));
//     page.frame.current = web::Section::kModules;
//     co_return co_await page.Send(web::RenderThing(page.frame, ViewOf(thing)), ThingTopic(thing));
//   }
//
// Permissions are checked before the handler runs, by the route's About, as for every other route;
// a listing passes call.Readable() on. A page has a strong ETag of its bytes and is compressed.
// Pages of public things as anonymous callers see them are cached until their topic changes, by
// path, language and theme; while the catalog is unavailable they are served with a note. Routes of
// such pages have KeptPage as their `ready`.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "api/common/page_context.h"
#include "base/clock.h"
#include "base/topic_cache.h"
#include "web/common/page_frame.h"

namespace koya {
struct NamespaceOwners;
}

namespace koya::api {

class PageAnswer {
 public:
  // Create it before reading any data that the page shows.
  explicit PageAnswer(Call& call);

  // The common frame of the page; the handler fills in its own parts.
  web::PageFrame frame;

  // `topic`: a change of it makes the page stale.
  Task<http::Response> Send(std::string html, std::string topic);
  // The same; the page expires after `life`, too.
  Task<http::Response> Send(std::string html, std::string topic, std::chrono::seconds life);
  // For a page made of many things: cached for a few seconds, whatever changes.
  Task<http::Response> SendBriefly(std::string html);
  // For a page that is different each time, or has another status than 200.
  Task<http::Response> SendUnkept(std::string html, unsigned status = 200);
  // 303 to another page of this server.
  http::Response GoTo(std::string path) const { return visit_.GoTo(std::move(path)); }
  PageContext& context() { return visit_; }

 private:
  // `lasting`: the page stays cached for long.
  Task<std::shared_ptr<const http::Document>> MakePage(std::string html, unsigned status,
                                                       UnixSeconds fresh_until, bool lasting);
  // Sends the page, and caches it if it is public and as anonymous callers see it.
  Task<http::Response> SendAndKeep(std::string html, std::string topic, UnixSeconds fresh_until,
                                   bool lasting);

  Call& call_;
  PageContext visit_;
  CacheTicket ticket_;  // of the DocumentCache
};

// The owners of a namespace that the caller may read, for pages. Empty for callers who are not
// signed in with a browser (ADR 74), and if the owners are unavailable: the page does without.
Awaitable<NamespaceOwners> OwnersFor(Call& call, std::string ns);

// The visibility of the requested thing, for a badge; nullopt for callers who see public things
// only: they need none.
std::optional<Visibility> VisibilityBadge(const Call& call);

}  // namespace koya::api
