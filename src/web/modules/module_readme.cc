// The README tab.
#include <fmt/format.h>

#include <optional>
#include <ranges>
#include <utility>

#include "inspect/module_block.h"
#include "markup/markdown.h"
#include "web/common/form_parts.h"
#include "web/common/template_engine.h"
#include "web/common/words.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostReadme = 252U << 10;  // bytes of HTML; with its ends below 256 KiB
constexpr std::size_t kShortInputs = 30;

markup::Rendered RenderedReadme(const PageFrame& frame, const ModulePage& page,
                                const inspect::Readme& readme) {
  markup::MarkdownOptions options;
  options.most_output = kMostReadme;
  ResolveBeside(page, "", options);
  options.fold_title = Word(frame.language, "module.readme_fold");
  options.fold_link_text = Word(frame.language, "module.readme_fold_link");
  options.fold_link_address = ModuleTabPath(page, "inputs");
  options.link_headings = true;
  return markup::RenderReadme(readme.file, readme.text, options);
}

View ShortInput(const inspect::Input& input) {
  return View()
      .Set("input_name", input.name)
      .Set("input_text", AuthorSummary(input.description, 140))
      .Set("is_required", input.required);
}

// The clients and providers that the module requires.
std::vector<View> NeedViews(const inspect::ModulePart& root, std::string_view host) {
  std::vector<View> views;
  const auto add = [&views](std::string_view name, const std::string& constraint) {
    views.push_back(View().Set("need_name", name).Set("need_constraint", constraint));
  };
  if (!root.required_version.empty()) add("OpenTofu, Terraform", root.required_version);
  if (!root.required_opentofu.empty()) add("OpenTofu", root.required_opentofu);
  for (const inspect::Requirement& each : root.requirements) {
    if (each.address.empty()) continue;  // a part of the clients
    add(ShortProvider(each, host), each.constraint);
  }
  return views;
}

void AddProvenance(const ModulePage& page, View& view) {
  auto claim = [&page](std::string_view name) {
    auto found = page.provenance.find(std::string(name));
    return found == page.provenance.end() ? std::string() : found->second;
  };
  std::string repository = claim("repository");
  if (repository.empty()) repository = claim("project_path");
  const inspect::ModuleContents* contents = page.contents;
  view.Set("commit", claim("sha").substr(0, 12))
      .Set("commit_ref", claim("ref"))
      .Set("repository", repository)
      .Set("workflow", claim("workflow").empty() ? claim("workflow_ref") : claim("workflow"))
      .Set("issuer", claim("iss"))
      .Set("digest", page.record->digest.hex())
      .Set("archive_size", page.record->size)
      .Set("file_count", contents == nullptr ? std::nullopt : std::optional(contents->file_count))
      .Set("licence", contents == nullptr ? "" : contents->licence.spdx);
}

}  // namespace

std::string RenderModuleReadme(const PageFrame& frame, const ModulePage& page) {
  View view = ModuleView(frame, page, ModuleTab::kReadme);
  AddSnippet(page, view);
  const inspect::ModulePart& root = page.root();
  const bool has_readme = !root.readme.file.empty();
  std::optional<View> readme;
  if (has_readme) {
    markup::Rendered rendered = RenderedReadme(frame, page, root.readme);
    readme = View().Of(root.readme).Set("readme_path", ModuleFilePath(page, root.readme.file));
    AddContents(*readme, rendered.contents);
    readme->Set("readme", markup::Fragment::Of(std::move(rendered)));
  }
  const ModuleVersionRecord* before = page.before();
  const std::optional<VersionStep> step = StepSince(*page.record, before);
  view.Set("readme_part", std::move(readme))
      .Set("lacks_readme", page.contents != nullptr && !has_readme)
      .List("short_inputs", Shown(root.inputs) | std::views::take(has_readme ? 0 : kShortInputs),
            [](const inspect::Input* each) { return ShortInput(*each); })
      .List("needs", NeedViews(root, page.host))
      .Set("step_before", before == nullptr ? "" : before->version.ToString())
      .Set("step", step ? std::optional(StepView(*step)) : std::nullopt);
  AddProvenance(page, view);
  AddCommand(view, fmt::format("koya show module {} {}", page.record->address.ToString(),
                               page.record->version.ToString()));
  AddAttachments(view, page.attachments);
  return RenderTemplate("module_readme", frame.language, view);
}

}  // namespace koya::web
