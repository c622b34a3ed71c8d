#include "web/site/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "web/common/addresses.h"
#include "web/common/embedded.h"
#include "web/common/template_engine.h"

namespace koya::web {
KOYA_VIEW(ManualText, name, title);
KOYA_VIEW(markup::Heading, name, text);
KOYA_VIEW(ManualPage, title, text);
KOYA_VIEW(ErrorCode, code, status, sentence);
KOYA_VIEW(ErrorCodesPage, preface, codes);
KOYA_VIEW(ErrorCodePage, code, status, text);

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
  std::vector<ManualText> texts = ManualTexts();
  // That text has pages of its own.
  std::erase_if(texts, [](const ManualText& text) { return text.name == "errors"; });
  const View view = FrameView(frame).Set("texts", texts);
  return RenderTemplate("manual_index", frame.language, view);
}

std::string RenderManualPage(const PageFrame& frame, const ManualPage& page) {
  std::vector<markup::Heading> places = page.text.contents;
  std::erase_if(places, [](const markup::Heading& heading) { return heading.level != 2; });
  if (places.size() == 1) places.clear();
  const View view = FrameView(frame).Of(page).Set("places", places);
  return RenderTemplate("manual_page", frame.language, view);
}

std::string RenderErrorCodes(const PageFrame& frame, const ErrorCodesPage& page) {
  return RenderTemplate("error_codes", frame.language, FrameView(frame).Of(page));
}

std::string RenderErrorCode(const PageFrame& frame, const ErrorCodePage& page) {
  return RenderTemplate("error_code", frame.language, FrameView(frame).Of(page));
}

std::string RenderAccessibility(const PageFrame& frame) {
  return RenderTemplate("accessibility", frame.language, FrameView(frame));
}

}  // namespace koya::web
