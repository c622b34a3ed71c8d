#include "web/site/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "web/common/addresses.h"
#include "web/common/embedded.h"

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

}  // namespace koya::web
