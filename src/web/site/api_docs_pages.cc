#include "web/site/api_docs_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "markup/fragment.h"
#include "web/common/addresses.h"
#include "web/common/template_engine.h"
#include "web/common/view_parts.h"

namespace koya::web {
KOYA_VIEW(ShownApiGroup, name, title, text, operations);
KOYA_VIEW(ApiIndexPage, preface, groups);
KOYA_VIEW(ShownApiParameter, name, in_path, is_needed, shape, fallback, text);
KOYA_VIEW(ShownApiAnswer, status, kind, shape, text, codes);
KOYA_VIEW(ShownApiOperation, id, method, path, summary, who, text, parameters, body_kind,
          body_shape, may_lack_body);

namespace {

View ApiOperationView(const ShownApiOperation& operation) {
  std::vector<ShownApiAnswer> answers, failures;
  std::ranges::partition_copy(operation.answers, std::back_inserter(answers),
                              std::back_inserter(failures),
                              [](const ShownApiAnswer& each) { return each.status < 400; });
  return View()
      .Of(operation)
      .Set("answers", answers)
      .Set("failures", failures)
      .Set("command",
           CodeView("curl-" + operation.id, "curl", markup::Fragment::Code(operation.command)));
}

}  // namespace

std::string RenderApiIndex(const PageFrame& frame, const ApiIndexPage& page) {
  const std::string command = fmt::format("curl --compressed {}{}", page.url, kOpenApiAddress);
  const View view =
      FrameView(frame)
          .Of(page)
          .Set("openapi_path", kOpenApiAddress)
          .Set("command", CodeView("openapi", "curl", markup::Fragment::Code(command)));
  return RenderTemplate("api_index", frame.language, view);
}

std::string RenderApiGroup(const PageFrame& frame, const ApiGroupPage& page) {
  const View view = FrameView(frame)
                        .Set("group", page.group)
                        .List("operations", page.operations, ApiOperationView);
  return RenderTemplate("api_group", frame.language, view);
}

}  // namespace koya::web
