// The API for readers: the same description as /api/openapi.json.
#include "web/site/api_docs_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/error_codes.h"
#include "api/common/page_answer.h"
#include "api/operations.h"
#include "api/route_tables.h"
#include "api/routes.h"
#include "api/site/manual_entry.h"
#include "http/server/head_parser.h"
#include "web/common/addresses.h"
#include "web/common/words.h"
#include "web/site/manual.h"
#include "wire/shape.h"

namespace koya::api {
namespace {

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

// The API, and a group of its requests: api_docs_pages.cc.
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
    co_return Fail(ErrorKind::kNotFound, "the API has no such group");
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

std::span<const Route> ApiDocsPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/docs/api", Access::kBrowse, ResourceScope::kListing, ShowApi,
                 "Show the API reference", KeptPage),
      Route::Get("/-/docs/api/{name}", Access::kBrowse, ResourceScope::kListing, ShowApiGroup,
                 "Show a group of API requests", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
