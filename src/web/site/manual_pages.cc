#include "web/site/manual_pages.h"

#include <fmt/format.h>

#include <utility>

#include "web/common/addresses.h"
#include "web/common/template_engine.h"
#include "web/site/manual.h"

namespace koya::web {
namespace {

// The texts are in English, whatever the page around them is in.
void AddForeignText(const PageFrame& frame, View& view) {
  view.Flag("is_foreign", frame.language != Language::kEnglish);
}

}  // namespace

std::string ErrorCodePath(std::string_view code) {
  return fmt::format("{}/{}", kErrorDocsAddress, code);
}

std::string RenderManualIndex(const PageFrame& frame) {
  View view = FrameView(frame);
  std::vector<View> texts;
  for (const ManualText& text : ManualTexts()) {
    if (text.name == "errors") continue;  // which has pages of its own
    texts.push_back(
        View().Text("manual_title", text.title).Text("manual_path", ManualPath(text.name)));
  }
  view.Text("publish_path", ManualPath("publishing"))
      .Text("sign_path", ManualPath("keys"))
      .Text("mirror_path", ManualPath("mirror"))
      .Text("policy_path", ManualPath("policy"))
      .Text("tokens_path", ManualPath("tokens"))
      .Text("errors_path", kErrorDocsAddress)
      .Text("api_docs_path", kApiDocsAddress)
      .Text("accessibility_docs_path", kAccessibilityAddress)
      .List("manual_texts", std::move(texts));
  AddForeignText(frame, view);
  return RenderTemplate("manual_index", frame.language, view);
}

std::string RenderManualPage(const PageFrame& frame, ManualPage page) {
  View view = FrameView(frame);
  std::vector<View> places;
  for (const markup::Heading& heading : page.text.contents) {
    if (heading.level != 2) continue;
    places.push_back(View().Text("place_name", heading.text).Text("place_id", "#" + heading.name));
  }
  view.Text("manual_title", page.title)
      .Flag("has_places", places.size() > 1)
      .List("places", std::move(places))
      .Html("manual", markup::Fragment::Of(std::move(page.text)));
  AddForeignText(frame, view);
  return RenderTemplate("manual_page", frame.language, view);
}

std::string RenderErrorCodes(const PageFrame& frame, ErrorCodesPage page) {
  View view = FrameView(frame);
  std::vector<View> codes;
  codes.reserve(page.codes.size());
  for (const ErrorCode& each : page.codes) {
    codes.push_back(View()
                        .Text("code", each.code)
                        .Text("code_path", ErrorCodePath(each.code))
                        .Text("code_status", fmt::to_string(each.status))
                        .Text("code_sentence", each.sentence));
  }
  view.List("codes", std::move(codes))
      .Html("manual", markup::Fragment::Of(std::move(page.preface)));
  AddForeignText(frame, view);
  return RenderTemplate("error_codes", frame.language, view);
}

std::string RenderErrorCode(const PageFrame& frame, ErrorCodePage page) {
  View view = FrameView(frame);
  view.Text("code", page.code)
      .Text("code_status", fmt::to_string(page.status))
      .Html("manual", markup::Fragment::Of(std::move(page.text)));
  AddForeignText(frame, view);
  return RenderTemplate("error_code", frame.language, view);
}

std::string RenderAccessibility(const PageFrame& frame) {
  return RenderTemplate("accessibility", frame.language, FrameView(frame));
}

}  // namespace koya::web
