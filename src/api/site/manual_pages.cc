// The documentation that a registry shows: texts of docs/, and what each kind of error means. The
// pages of the API are in api_docs_pages.cc.
#include "web/site/manual_pages.h"

#include <string>
#include <string_view>
#include <utility>

#include "api/common/error_codes.h"
#include "api/common/page_answer.h"
#include "api/common/page_context.h"
#include "api/route_tables.h"
#include "api/site/manual_entry.h"
#include "web/common/addresses.h"
#include "web/common/words.h"
#include "web/site/manual.h"

namespace koya::api {
namespace {

Failure NoSuchText() {
  return Fail(ErrorKind::kNotFound, "no such documentation page: see the list at /-/docs");
}

const web::ManualText& ErrorText() { return *web::FindManualText("errors"); }

// Of what a kind of error means, its first paragraph.
std::string FirstSentences(std::string_view markdown) {
  return web::RenderManual(markdown).summary;
}

Task<http::Response> ShowManual(Call& call) {
  PageAnswer page(call);
  page.frame.current = web::Section::kDocs;
  co_return co_await page.Send(web::RenderManualIndex(page.frame), kManualTopic);
}

Task<http::Response> ShowManualText(Call& call) {
  PageAnswer page(call);
  EnterManual(page.frame);
  const web::ManualText* text = web::FindManualText(call.path("name"));
  if (text == nullptr) co_return NoSuchText();
  co_return co_await page.Send(
      web::RenderManualPage(
          page.frame, {.title = std::string(text->title), .text = web::RenderManual(text->body)}),
      kManualTopic);
}

Task<http::Response> ShowErrorCodes(Call& call) {
  PageAnswer page(call);
  EnterManual(page.frame);
  web::ErrorCodesPage shown{.preface = web::RenderManual(web::ManualPreface(ErrorText())),
                            .codes = {}};
  for (const ErrorCode& each : ErrorCodes()) {
    shown.codes.push_back({.code = std::string(each.name),
                           .status = each.status,
                           .sentence = FirstSentences(each.text)});
  }
  co_return co_await page.Send(web::RenderErrorCodes(page.frame, std::move(shown)), kManualTopic);
}

Task<http::Response> ShowErrorCode(Call& call) {
  PageAnswer page(call);
  EnterManual(page.frame);
  page.frame.crumbs.push_back({.name = std::string(web::Word(page.frame.language, "manual.errors")),
                               .path = std::string(web::kErrorDocsAddress)});
  const ErrorCode* found = FindErrorCode(call.path("name"));
  if (found == nullptr) co_return NoSuchText();
  co_return co_await page.Send(
      web::RenderErrorCode(page.frame, {.code = std::string(found->name),
                                        .status = found->status,
                                        .text = web::RenderManual(found->text)}),
      kManualTopic);
}

Task<http::Response> ShowAccessibility(Call& call) {
  PageContext visit(call.request(), call.services);
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  co_return visit.Page(200, web::RenderAccessibility(visit.Frame()));
}

}  // namespace

// The documentation that a registry shows.
std::span<const Route> ManualPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/docs", Access::kBrowse, ResourceScope::kListing, ShowManual,
                 "Show the list of documentation pages", KeptPage),
      Route::Get("/-/docs/errors", Access::kBrowse, ResourceScope::kListing, ShowErrorCodes,
                 "Show the kinds of errors", KeptPage),
      Route::Get("/-/docs/errors/{name}", Access::kBrowse, ResourceScope::kListing, ShowErrorCode,
                 "Show the meaning of an error and its fix", KeptPage),
      Route::Get("/-/docs/accessibility", Access::kPage, ResourceScope::kNone, ShowAccessibility,
                 "Show the accessibility statement"),
      Route::Get("/-/docs/{name}", Access::kBrowse, ResourceScope::kListing, ShowManualText,
                 "Show a documentation page", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
