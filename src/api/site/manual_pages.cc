// The documentation that a registry shows: texts of docs/, what each kind of error means, and the
// API for readers: the same description as /api/openapi.json.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/page_answer.h"
#include "api/common/page_context.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "api/operations.h"
#include "api/routes.h"
#include "domain/search_query.h"
#include "http/server/head_parser.h"
#include "web/common/page_frame.h"
#include "web/common/page_paths.h"
#include "web/common/words.h"
#include "web/site/manual.h"
#include "web/site/manual_search.h"
#include "wire/openapi.h"

namespace koya::api {
namespace {

// Topic of these pages, which change only with a new version of the program.
constexpr const char* kManualTopic = "manual";
constexpr std::uint64_t kMostManualHits = 30;

// Places a page in the header's section for docs, below its index.
void EnterManual(web::PageFrame& frame) {
  frame.current = web::Section::kDocs;
  frame.crumbs = {{.name = std::string(web::Word(frame.language, "frame.docs")),
                   .path = std::string(web::kDocsAddress)}};
}

Failure NoSuchText() { return FailNotFound("no such documentation page: see the list at /-/docs"); }

const web::ManualText& ErrorText() { return *web::FindManualText("errors"); }

// Of what a kind of error means, its first paragraph.
std::string FirstSentences(std::string_view markdown) {
  return web::RenderManual(markdown).summary;
}

Task<http::Response> ShowManual(Call& call) {
  PageAnswer page(call);
  page.frame.current = web::Section::kDocs;
  ASSIGN_OR_CO_RETURN(std::optional<std::string> text, QueryParameter(call.request().query, "q"));
  if (!text || text->empty()) {
    co_return co_await page.Send(web::RenderManualIndex(page.frame, {}), kManualTopic);
  }
  web::ManualIndexPage shown{.query = *text};
  Result<SearchQuery> query = SearchQuery::Parse(*text + " kind:guide,setting,error");
  if (!query) {
    shown.problem = web::Refusal::Of(query.error(), web::Typed::kSearch);
    co_return co_await page.SendUnkept(web::RenderManualIndex(page.frame, shown), 400);
  }
  web::ManualHits found = web::SearchManual(*query, {.limit = kMostManualHits});
  shown.hits = std::move(found.items);
  shown.total = found.total;
  co_return co_await page.SendUnkept(web::RenderManualIndex(page.frame, shown));
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

// A shape that a test has seen to be one.
std::string ShownShape(const std::string& shape) {
  return shape.empty() ? std::string() : wire::ShapeText(shape).value_or(shape);
}

web::ShownApiParameter ShownOf(const wire::ApiParameter& parameter) {
  return {.name = parameter.name,
          .in_path = parameter.in_path,
          .is_needed = parameter.required,
          .shape = parameter.shape,
          .fallback = parameter.fallback,
          .text = web::RenderManual(parameter.text)};
}

std::vector<std::string> CodesOf(unsigned status) {
  std::vector<std::string> codes;
  for (const ErrorCode& code : ErrorCodes()) {
    if (code.status == status) codes.emplace_back(code.name);
  }
  return codes;
}

web::ShownApiAnswer ShownOf(const wire::ApiAnswer& answer) {
  return {.status = answer.status,
          .kind = answer.body.media_type,
          .shape = ShownShape(answer.body.shape),
          .text = web::RenderManual(answer.text),
          .codes = answer.status < 400 ? std::vector<std::string>() : CodesOf(answer.status)};
}

char UpperLetter(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// "/v1/modules/NAMESPACE", with what the query needs.
std::string ExamplePath(const wire::ApiOperation& operation) {
  std::string path;
  bool is_name = false;
  for (char c : operation.path) {
    if (c == '{' || c == '}') {
      is_name = c == '{';
    } else {
      path += is_name ? UpperLetter(c) : c;
    }
  }
  for (const wire::ApiParameter& each : operation.parameters) {
    if (each.in_path || !each.required) continue;
    path += fmt::format("{}{}=", path.contains('?') ? '&' : '?', each.name);
    std::ranges::transform(each.name, std::back_inserter(path), UpperLetter);
  }
  return path;
}

// What sends it, as it is typed.
std::string CurlCommand(const wire::ApiOperation& operation, std::string_view method,
                        std::string_view url) {
  std::string command = "curl";
  if (method != "GET") command += fmt::format(" -X {}", method);
  if (operation.token == wire::ApiToken::kNeeded) {
    command += " -H \"Authorization: Bearer $KOYA_TOKEN\"";
  }
  if (operation.body) {
    const bool is_bytes = operation.body->shape.empty();
    command += fmt::format(" -H 'Content-Type: {}'", operation.body->media_type);
    command += is_bytes ? " --data-binary @FILE" : " --data @REQUEST";
  }
  return fmt::format("{} '{}{}'", command, url, ExamplePath(operation));
}

web::ShownApiOperation ShownOf(const Operation& each, std::string_view url) {
  const wire::ApiOperation& operation = each.described;
  const std::string_view method = http::MethodName(each.route->method);
  web::ShownApiOperation shown{.id = operation.id,
                               .method = std::string(method),
                               .path = operation.path,
                               .summary = operation.summary,
                               .who = std::string(AccessName(each.route->access)),
                               .text = web::RenderManual(operation.text)};
  for (const wire::ApiParameter& parameter : operation.parameters) {
    shown.parameters.push_back(ShownOf(parameter));
  }
  if (operation.body) {
    shown.body_kind = operation.body->media_type;
    shown.body_shape = ShownShape(operation.body->shape);
    shown.may_lack_body = !operation.body->required;
  }
  for (const wire::ApiAnswer& answer : operation.answers) shown.answers.push_back(ShownOf(answer));
  shown.command = CurlCommand(operation, method, url);
  return shown;
}

web::ShownApiGroup ShownOf(const wire::ApiGroup& group) {
  const auto count = std::ranges::count_if(
      Operations(), [&group](const Operation& each) { return each.described.group == group.name; });
  return {.name = group.name,
          .title = group.title,
          .text = group.text,
          .operations = static_cast<std::size_t>(count)};
}

// The API, and a group of its requests.
Task<http::Response> ShowApi(Call& call) {
  PageAnswer page(call);
  EnterManual(page.frame);
  web::ApiIndexPage shown{
      .url = call.services.url, .preface = web::RenderManual(ApiPreface()), .groups = {}};
  for (const wire::ApiGroup& group : OperationGroups()) shown.groups.push_back(ShownOf(group));
  co_return co_await page.Send(web::RenderApiIndex(page.frame, std::move(shown)), kManualTopic);
}

Task<http::Response> ShowApiGroup(Call& call) {
  PageAnswer page(call);
  EnterManual(page.frame);
  page.frame.crumbs.push_back({.name = "API", .path = std::string(web::kApiDocsAddress)});
  const std::vector<wire::ApiGroup>& groups = OperationGroups();
  const auto group = std::ranges::find(groups, call.path("name"), &wire::ApiGroup::name);
  if (group == groups.end()) {
    co_return FailNotFound("the API has no such group");
  }
  web::ApiGroupPage shown{.group = ShownOf(*group), .operations = {}};
  for (const Operation& each : Operations()) {
    if (each.described.group == group->name) {
      shown.operations.push_back(ShownOf(each, call.services.url));
    }
  }
  co_return co_await page.Send(web::RenderApiGroup(page.frame, shown), kManualTopic);
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
      Route::Get("/-/docs/api", Access::kBrowse, ResourceScope::kListing, ShowApi,
                 "Show the API reference", KeptPage),
      Route::Get("/-/docs/api/{name}", Access::kBrowse, ResourceScope::kListing, ShowApiGroup,
                 "Show a group of API requests", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
