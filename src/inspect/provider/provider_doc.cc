#include "inspect/provider/provider_doc.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "markup/front_matter.h"
#include "markup/plain_text.h"
#include "markup/utf8.h"

namespace koya::inspect::provider {
namespace {

constexpr std::size_t kLongestTitle = 300;
constexpr std::size_t kFirstLines = 40;
constexpr std::array<std::string_view, 3> kNotes = {"~> ", "!> ", "-> "};
// In small letters. A note about an argument that is deprecated is none about the page.
constexpr std::array<std::string_view, 6> kOfThePage = {
    "**deprecated",           "deprecated:**",
    "resource is deprecated", "data source is deprecated",
    "function is deprecated", "resource has been deprecated"};

struct FirstLines {
  std::string heading;
  bool deprecated = false;
};

FirstLines ReadFirstLines(std::string_view body) {
  FirstLines out;
  for (std::size_t i = 0; i < kFirstLines && !body.empty(); ++i) {
    std::size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, std::min(end, std::size_t{2000}));
    body.remove_prefix(std::min(end + 1, body.size()));
    if (out.heading.empty() && line.starts_with("# ")) {
      out.heading = markup::OneLine(markup::FitToShow(line.substr(2)), kLongestTitle);
    }
    bool note = std::ranges::any_of(
        kNotes, [line](std::string_view mark) { return line.starts_with(mark); });
    if (!note) continue;
    std::string low = AsciiLower(line);
    out.deprecated |= std::ranges::any_of(
        kOfThePage, [&low](std::string_view words) { return low.contains(words); });
  }
  return out;
}

bool SaysDeprecated(std::string_view text) {
  std::string low = AsciiLower(text);
  return low.starts_with("deprecated") || low.contains("(deprecated") ||
         low.contains("[deprecated");
}

}  // namespace

ProviderDoc ReadProviderDoc(const DocAddress& address, std::string_view path, std::string_view text,
                            std::uint64_t most, DocWarnings& warnings) {
  text = CutUtf8(text, most);
  if (!IsUtf8(text)) warnings.Add({std::string(path), 0, "the text is no UTF-8 everywhere"});
  markup::FrontMatter matter = markup::ReadFrontMatter(text);
  for (markup::FrontMatter::Unread& each : matter.unread) {
    warnings.Add({std::string(path), each.line, std::move(each.why)});
  }
  FirstLines first = ReadFirstLines(matter.body);
  ProviderDoc out;
  out.address = address;
  out.body = matter.body;
  out.deprecated = first.deprecated || SaysDeprecated(matter.page_title) ||
                   SaysDeprecated(matter.subcategory) || SaysDeprecated(matter.description) ||
                   SaysDeprecated(first.heading);
  out.title = std::move(matter.page_title);
  if (out.title.empty()) out.title = std::move(first.heading);
  if (out.title.empty()) out.title = address.name;
  out.subcategory = std::move(matter.subcategory);
  out.description = std::move(matter.description);
  return out;
}

Result<DocsPlan> ReadProviderDocs(std::span<const DocFile> files, const DocsLimits& limits,
                                  const DocsReading& reading) {
  ASSIGN_OR_RETURN(DocsPlan plan, PlanDocs(files, limits));
  for (const DocsPlan::Page& page : plan.pages) {
    const DocFile& file = files[page.file];
    Result<std::string> text = reading.read(file);
    if (!text) {
      plan.warnings.Add({file.path, 0, "this file cannot be read: " + text.error().message});
      continue;
    }
    ProviderDoc doc =
        ReadProviderDoc(page.address, file.path, *text, limits.file_bytes, plan.warnings);
    RETURN_IF_ERROR(reading.take(doc));
  }
  return plan;
}

}  // namespace koya::inspect::provider
