// The README tab.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "inspect/module_block.h"
#include "markup/markdown.h"
#include "web/common/template_engine.h"
#include "web/common/view_parts.h"
#include "web/common/words.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostReadme = 252U << 10;  // bytes of HTML; with its ends below 256 KiB
constexpr std::size_t kShortInputs = 30;

markup::Fragment ReadmeFragment(const PageFrame& frame, const ModulePage& page,
                                const inspect::Readme& readme) {
  markup::MarkdownOptions options;
  options.most_output = kMostReadme;
  ResolveBeside(page, "", options);
  options.fold_title = Word(frame.language, "module.readme_fold");
  options.fold_link_text = Word(frame.language, "module.readme_fold_link");
  options.fold_link_address = ModuleTabPath(page, "inputs");
  return markup::Fragment::Of(markup::RenderReadme(readme.file, readme.text, options));
}

std::vector<View> ShortInputs(const ModulePage& page) {
  std::vector<View> views;
  for (const inspect::Input& input : page.contents->root.inputs) {
    if (input.hidden) continue;
    if (views.size() == kShortInputs) break;
    views.push_back(
        View()
            .Text("input_name", input.name)
            .Text("input_path", fmt::format("{}#in-{}", ModuleTabPath(page, "inputs"), input.name))
            .Text("input_text", AuthorSummary(input.description, 140))
            .Flag("is_required", input.required));
  }
  return views;
}

void AddProvenance(const PageFrame& frame, const ModulePage& page, View& view) {
  auto claim = [&page](std::string_view name) {
    auto found = page.provenance.find(std::string(name));
    return found == page.provenance.end() ? std::string() : found->second;
  };
  const std::string repository = claim("repository");
  const inspect::ModuleContents* contents = page.contents;
  view.Text("commit", claim("sha").substr(0, 12))
      .Text("commit_ref", claim("ref"))
      .Text("repository", repository.empty() ? claim("project_path") : repository)
      .Text("workflow", claim("workflow").empty() ? claim("workflow_ref") : claim("workflow"))
      .Text("issuer", claim("iss"))
      .Text("digest", page.record->digest.hex())
      .Text("archive_size", SizeText(page.record->size))
      .Text("file_count", contents == nullptr ? "" : NumberText(contents->file_count))
      .Flag("is_one_file", contents != nullptr && contents->file_count == 1)
      .Text("licence", contents == nullptr ? "" : contents->licence.spdx);
  AddMoment(view, "recorded", frame.language, page.record->published_at);
}

}  // namespace

std::string RenderModuleReadme(const PageFrame& frame, const ModulePage& page) {
  View view = ModuleView(frame, page, ModuleTab::kReadme);
  AddSnippet(page, view);
  const inspect::ModuleContents* contents = page.contents;
  const bool has_readme = contents != nullptr && !contents->root.readme.file.empty();
  std::optional<View> readme;
  if (has_readme) {
    const inspect::Readme& source = contents->root.readme;
    readme = View()
                 .Html("readme", ReadmeFragment(frame, page, source))
                 .Text("readme_lang", source.language)
                 .Text("readme_path", ModuleFilePath(page, source.file))
                 .Text("readme_file", source.file)
                 .Flag("is_cut", source.cut);
  }
  view.Maybe("readme_part", std::move(readme))
      .Flag("lacks_readme", contents != nullptr && !has_readme)
      .List("short_inputs",
            contents == nullptr || has_readme ? std::vector<View>() : ShortInputs(page))
      .Flag("has_fetches", page.fetches.has_value())
      .List("needs", NeedViews(page));
  view.Flag("has_short_inputs",
            contents != nullptr && !has_readme && CountShown(contents->root.inputs) > 0)
      .Flag("has_needs", contents != nullptr && (!contents->root.required_version.empty() ||
                                                 !contents->root.required_opentofu.empty() ||
                                                 !contents->root.requirements.empty()));
  AddStepCard(StepCardOf(page), page, view);
  AddProvenance(frame, page, view);
  return RenderTemplate("module_readme", frame.language, view);
}

}  // namespace koya::web
