#include "web/site/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "web/common/addresses.h"
#include "web/common/embedded.h"
#include "web/common/template_engine.h"

namespace koya::web {
namespace {

constexpr std::string_view kMarkdownSuffix = ".md";

ManualText ManualTextOf(const EmbeddedFile& file) {
  ManualText text{.name = file.name.substr(0, file.name.size() - kMarkdownSuffix.size()),
                  .title = {},
                  .body = file.bytes};
  // A remark for editors of the file.
  if (text.body.starts_with("<!--")) text.body.remove_prefix(text.body.find('\n') + 1);
  constexpr std::string_view kHeading = "# ";
  if (!text.body.starts_with(kHeading)) return text;
  const std::size_t end = std::min(text.body.find('\n'), text.body.size());
  text.title = text.body.substr(kHeading.size(), end - kHeading.size());
  text.body.remove_prefix(end);
  return text;
}

// Of "search.md", as one text names another.
std::optional<std::string> PathOfNeighbour(std::string_view address) {
  // Made out of the route table, and shown as pages of their own.
  if (address == "api.md") return std::string(kApiDocsAddress);
  if (address == "errors.md") return std::string(kErrorDocsAddress);
  if (!address.ends_with(kMarkdownSuffix)) return std::nullopt;
  address.remove_suffix(kMarkdownSuffix.size());
  const ManualText* text = FindManualText(address);
  return text == nullptr ? std::nullopt : std::optional(ManualPath(text->name));
}

// The texts are in English, whatever the page around them is in.
void AddForeignText(const PageFrame& frame, View& view) {
  view.Flag("is_foreign", frame.language != Language::kEnglish);
}

}  // namespace

const std::vector<ManualText>& ManualTexts() {
  static const std::vector<ManualText> kTexts = [] {
    std::vector<ManualText> texts;
    for (const EmbeddedFile& file : EmbeddedDocs()) texts.push_back(ManualTextOf(file));
    return texts;
  }();
  return kTexts;
}

const ManualText* FindManualText(std::string_view name) {
  const std::vector<ManualText>& texts = ManualTexts();
  const auto found = std::ranges::find(texts, name, &ManualText::name);
  return found == texts.end() ? nullptr : &*found;
}

std::optional<std::string_view> ManualSection(const ManualText& text, std::string_view heading) {
  const std::string mark = fmt::format("\n## {}\n", heading);
  const std::size_t found = text.body.find(mark);
  if (found == text.body.npos) return std::nullopt;
  const std::string_view rest = text.body.substr(found + mark.size());
  return rest.substr(0, rest.find("\n## "));
}

std::string_view ManualPreface(const ManualText& text) {
  return text.body.substr(0, text.body.find("\n## "));
}

markup::Rendered RenderManual(std::string_view markdown) {
  markup::MarkdownOptions options;
  options.heading_shift = 0;  // the page's own <h1> is what stood above
  options.link = PathOfNeighbour;
  return markup::RenderMarkdown(markdown, options);
}

std::string ManualPath(std::string_view name) { return fmt::format("{}/{}", kDocsAddress, name); }

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
