#include "api/site/engine_error_page.h"

#include <chrono>
#include <string>
#include <utility>

#include "api/common/audience.h"
#include "api/common/page_context.h"
#include "api/common/reply.h"
#include "http/server/message.h"
#include "web/site/message_page.h"

namespace koya::api {
namespace {

web::PageFrame NobodysFrame(const http::Request& request, Services& services) {
  PageContext visit(request, services);
  // The links to other languages lead to the start page: there is nothing at this address.
  visit.SetPath("/");
  web::PageFrame frame = visit.Frame();
  frame.csrf.clear();
  frame.notice.reset();
  return frame;
}

}  // namespace

http::Response EngineErrorAnswer(const http::EngineError& error, Services& services) {
  const bool shows_pages = services.site.enabled && WantsPages(error.request, error.target);
  if (!shows_pages) return EngineErrorReply(error);
  const web::MessagePage page{.status = error.status,
                              .text = std::string(error.message),
                              .code = {},
                              .request_id = std::string(error.request.request_id),
                              .retry_after = std::chrono::seconds(error.status == 429 ? 1 : 0),
                              .status_url = error.status >= 500 ? services.site.status_url : ""};
  http::Response reply;
  reply.fields.emplace_back("Content-Type", "text/html; charset=utf-8");
  for (auto& field : PageContext::PageFields()) reply.fields.push_back(std::move(field));
  reply.body = web::RenderMessage(NobodysFrame(error.request, services), page);
  return reply;
}

}  // namespace koya::api
