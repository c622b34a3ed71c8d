// The pages that show what is here (Access::kBrowse): how a handler answers with one.
//
//   Task<http::Response> ShowThing(Call& call) {
//     PageAnswer page(call);
//     ASSIGN_OR_CO_RETURN(Thing thing, co_await call.services.things.Find(…));
//     page.frame.current = web::Section::kModules;
//     co_return co_await page.Send(web::RenderThing(page.frame, ViewOf(thing)), ThingTopic(thing));
//   }
//
// Rights were judged before the handler runs, by the route's About, as for every other route; of a
// listing it passes call.Readable() on. A page has a strong ETag of its bytes and is compressed.
// What strangers are shown of public things is kept until its topic changes, by path, language and
// theme; and while the catalog is away it is shown with a note. Routes of such pages have
// KeptPage as their `ready`.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "api/document_cache.h"
#include "api/visit.h"
#include "base/clock.h"
#include "web/page_frame.h"

namespace koya::api {

class PageAnswer {
 public:
  // Before anything is read that the page shows.
  explicit PageAnswer(Call& call);

  // What the page has around it; the handler adds what it knows.
  web::PageFrame frame;

  // `topic`: whose change makes the page stale.
  Task<http::Response> Send(std::string html, std::string topic);
  // The same, and after so long it is made anew.
  Task<http::Response> Send(std::string html, std::string topic, std::chrono::seconds life);
  // Of a page that is made of many things: kept for a few seconds, whatever changes.
  Task<http::Response> SendBriefly(std::string html);
  // Of a page that is different each time, or another status than 200.
  Task<http::Response> SendUnkept(std::string html, unsigned status = 200);
  // 303, to another page of ours.
  http::Response GoTo(std::string path) const { return visit_.GoTo(std::move(path)); }

 private:
  // `lasting`: it is kept for long.
  Task<std::shared_ptr<const http::Document>> MakePage(std::string html, unsigned status,
                                                       UnixSeconds fresh_until, bool lasting);
  // Where strangers are shown a page of public things.
  Task<http::Response> SendAndKeep(std::string html, std::string topic, UnixSeconds fresh_until,
                                   bool lasting);

  Call& call_;
  Visit visit_;
  DocumentCache::Ticket ticket_;
};

}  // namespace koya::api
