#include "web/site/api_docs_pages.h"

#include <fmt/format.h>

#include <utility>

#include "markup/fragment.h"
#include "web/common/addresses.h"
#include "web/common/template_engine.h"
#include "web/common/view_parts.h"
#include "web/site/manual.h"

namespace koya::web {
namespace {

View ApiParameterView(const ShownApiParameter& parameter) {
  return std::move(View()
                       .Text("parameter_name", parameter.name)
                       .Flag("is_in_path", parameter.in_path)
                       .Flag("is_needed", parameter.is_needed)
                       .Text("parameter_shape", parameter.shape)
                       .Text("parameter_fallback", parameter.fallback)
                       .Html("parameter_text", markup::Fragment::Of(parameter.text)));
}

View ApiAnswerView(const ShownApiAnswer& answer) {
  std::vector<View> codes;
  for (const std::string& code : answer.codes) {
    codes.push_back(View().Text("code", code).Text("code_path", ErrorCodePath(code)));
  }
  return std::move(View()
                       .Text("answer_status", fmt::to_string(answer.status))
                       .Flag("is_error", answer.status >= 400)
                       .Text("answer_kind", answer.kind)
                       .Text("answer_shape", answer.shape)
                       .Html("answer_text", markup::Fragment::Of(answer.text))
                       .Flag("has_codes", !codes.empty())
                       .List("codes", std::move(codes)));
}

View ApiOperationView(const ShownApiOperation& operation) {
  std::vector<View> parameters;
  for (const ShownApiParameter& each : operation.parameters) {
    parameters.push_back(ApiParameterView(each));
  }
  std::vector<View> answers;
  std::vector<View> failures;
  for (const ShownApiAnswer& each : operation.answers) {
    (each.status < 400 ? answers : failures).push_back(ApiAnswerView(each));
  }
  return std::move(View()
                       .Text("operation_id", operation.id)
                       .Text("operation_place", "#" + operation.id)
                       .Text("method", operation.method)
                       .Text("operation_path", operation.path)
                       .Text("summary", operation.summary)
                       .Text("who", operation.who)
                       .Html("operation_text", markup::Fragment::Of(operation.text))
                       .Flag("has_parameters", !parameters.empty())
                       .List("parameters", std::move(parameters))
                       .Text("body_kind", operation.body_kind)
                       .Text("body_shape", operation.body_shape)
                       .Flag("may_lack_body", operation.may_lack_body)
                       .List("answers", std::move(answers))
                       .Flag("has_failures", !failures.empty())
                       .List("failures", std::move(failures))
                       .Maybe("command", CodeView("curl-" + operation.id, "curl",
                                                  markup::Fragment::Code(operation.command))));
}

}  // namespace

std::string ApiGroupPath(std::string_view name) {
  return fmt::format("{}/{}", kApiDocsAddress, name);
}

std::string RenderApiIndex(const PageFrame& frame, ApiIndexPage page) {
  View view = FrameView(frame);
  std::vector<View> groups;
  groups.reserve(page.groups.size());
  for (const ShownApiGroup& each : page.groups) {
    groups.push_back(View()
                         .Text("group_title", each.title)
                         .Text("group_path", ApiGroupPath(each.name))
                         .Text("group_text", each.text)
                         .Text("group_operations", NumberText(each.operations)));
  }
  view.Text("openapi_path", kOpenApiAddress)
      .Flag("is_foreign", frame.language != Language::kEnglish)
      .List("groups", std::move(groups))
      .Html("preface", markup::Fragment::Of(std::move(page.preface)))
      .Maybe("command", CodeView("openapi", "curl",
                                 markup::Fragment::Code(fmt::format("curl --compressed {}{}",
                                                                    page.url, kOpenApiAddress))));
  return RenderTemplate("api_index", frame.language, view);
}

std::string RenderApiGroup(const PageFrame& frame, const ApiGroupPage& page) {
  View view = FrameView(frame);
  std::vector<View> operations;
  operations.reserve(page.operations.size());
  for (const ShownApiOperation& each : page.operations) {
    operations.push_back(ApiOperationView(each));
  }
  view.Text("group_title", page.group.title)
      .Text("group_text", page.group.text)
      .Text("openapi_path", kOpenApiAddress)
      .Flag("is_foreign", frame.language != Language::kEnglish)
      .List("operations", std::move(operations));
  return RenderTemplate("api_group", frame.language, view);
}

}  // namespace koya::web
