#include "web/site/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "markup/fragment.h"
#include "web/common/embedded.h"
#include "web/common/page_paths.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/site/search_page.h"

namespace koya::web {

KOYA_VIEW(ManualPage, title, text);
KOYA_VIEW(ErrorCode, code, status, sentence);
KOYA_VIEW(ErrorCodesPage, preface, codes);
KOYA_VIEW(ErrorCodePage, code, status, text);

enum class ManualGroup { kUse, kPublish, kAdminister, kOperate, kReference };

namespace {

// In the order in which the index lists them; those that are missing here end the last group.
struct GroupOfTexts {
  ManualGroup group;
  std::array<std::string_view, 10> names;
};
constexpr GroupOfTexts kManualGroups[] = {
    {ManualGroup::kUse,
     {"clients", "troubleshooting", "search", "inside", "updaters", "editors", "mcp"}},
    {ManualGroup::kPublish, {"publishing", "providers", "ci", "trusted-publishing", "keys"}},
    {ManualGroup::kAdminister,
     {"access", "tokens", "sign-in-providers", "notifications", "policy", "cool-down", "usage",
      "audit"}},
    {ManualGroup::kOperate,
     {"install", "securing", "moving-in", "mirror", "operating", "backup", "runbook", "scale-out",
      "metrics", "logging"}},
    {ManualGroup::kReference, {"config", "limits", "errors", "trust", "storage-layout"}}};

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

// "docs/benchmarks.md" of "benchmarks.md#mirror", "SECURITY.md" of "../SECURITY.md"; "": the link
// leads somewhere.
std::string PathInSource(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const bool leads = target.empty() || target.contains(':') || target.contains(' ') ||
                     target.starts_with('/') || !target.contains('.') || PathOfNeighbour(target);
  if (leads) return {};
  constexpr std::string_view kUp = "../";
  return target.starts_with(kUp) ? std::string(target.substr(kUp.size()))
                                 : fmt::format("docs/{}", target);
}

// "[the measurements](benchmarks.md)" as "the measurements (`docs/benchmarks.md` in the source)".
std::string WithFilesOfSource(std::string_view markdown) {
  constexpr std::string_view kMiddle = "](";
  std::string out(markdown);
  for (std::size_t at = out.find(kMiddle); at != out.npos; at = out.find(kMiddle, at + 1)) {
    const std::size_t begin = out.rfind('[', at);
    const std::size_t end = out.find(')', at);
    if (begin == out.npos || end == out.npos) continue;
    const std::string target = out.substr(at + kMiddle.size(), end - at - kMiddle.size());
    const std::string path = PathInSource(target);
    if (path.empty()) continue;
    const std::string text = out.substr(begin + 1, at - begin - 1);
    const bool names_file = path.ends_with(text) || text == "`" + path + "`";
    out.replace(begin, end + 1 - begin,
                names_file ? fmt::format("`{}` in the source", path)
                           : fmt::format("{} (`{}` in the source)", text, path));
    at = begin;
  }
  return out;
}

View TextRow(const ManualText& text) {
  const bool is_of_errors = text.name == "errors";
  return View()
      .Set("text_path", is_of_errors ? std::string(kErrorDocsAddress) : ManualPath(text.name))
      .Set("title", text.title)
      .Set("sentence", ManualSentence(text));
}

std::vector<View> MakeGroupViews() {
  std::vector<View> groups;
  std::set<std::string_view> listed;
  for (const auto& [group, names] : kManualGroups) {
    std::vector<View> rows;
    for (std::string_view name : names) {
      const ManualText* text = FindManualText(name);
      if (text == nullptr) continue;
      listed.insert(name);
      rows.push_back(TextRow(*text));
    }
    const bool is_last = group == ManualGroup::kReference;
    for (const ManualText& text : ManualTexts()) {
      if (is_last && !listed.contains(text.name)) rows.push_back(TextRow(text));
    }
    groups.push_back(
        View().Set("group", group).Set("is_reference", is_last).List("texts", std::move(rows)));
  }
  return groups;
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

std::string ManualSentence(const ManualText& text) {
  std::string sentence = RenderManual(ManualPreface(text)).summary;
  const std::size_t end = sentence.find(". ");
  return end == sentence.npos ? sentence : sentence.substr(0, end + 1);
}

markup::Rendered RenderManual(std::string_view markdown) {
  markup::MarkdownOptions options;
  options.heading_shift = 0;  // the page's own <h1> is what stood above
  options.link = PathOfNeighbour;
  options.link_headings = true;
  return markup::RenderMarkdown(WithFilesOfSource(markdown), options);
}

std::string ManualPath(std::string_view name) { return fmt::format("{}/{}", kDocsAddress, name); }

std::string ErrorCodePath(std::string_view code) {
  return fmt::format("{}/{}", kErrorDocsAddress, code);
}

std::string RenderManualIndex(const PageFrame& frame, const ManualIndexPage& page) {
  static const std::vector<View> kGroups = MakeGroupViews();
  View view = FrameView(frame);
  AddRefusal(view, frame.language, page.problem);
  view.Set("query", page.query)
      .Set("total", page.total)
      .Set("is_none", !page.query.empty() && page.hits.empty() && page.problem.empty())
      .List("manual", page.hits, ManualRow)
      .List("groups", kGroups);
  return RenderTemplate("manual_index", frame.language, view);
}

std::string RenderManualPage(const PageFrame& frame, const ManualPage& page) {
  std::vector<markup::Heading> places = page.text.contents;
  std::erase_if(places, [](const markup::Heading& heading) { return heading.level != 2; });
  View view = FrameView(frame).Of(page);
  AddContents(view, places);
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
