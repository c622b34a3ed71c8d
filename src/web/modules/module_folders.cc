// The tabs of submodules and examples, and the pages of single ones.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "markup/markdown.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostFolderReadme = 128U << 10;  // bytes of HTML
constexpr std::size_t kMostShownFolders = 500;

bool IsExample(ModuleFolderKind kind) { return kind == ModuleFolderKind::kExample; }

const std::vector<inspect::ModulePart>& PartsOf(const inspect::ModuleContents& contents,
                                                ModuleFolderKind kind) {
  return IsExample(kind) ? contents.examples : contents.submodules;
}

bool HasPart(const std::vector<inspect::ModulePart>& parts, std::string_view path) {
  return std::ranges::find(parts, path, &inspect::ModulePart::path) != parts.end();
}

View FolderRow(const ModulePage& page, const inspect::ModulePart& part) {
  return View()
      .Set("folder_path", ModuleFolderPath(page, part.path))
      .Set("folder_name", part.path)
      .Set("folder_text", PartSummary(part, 300))
      .Set("folder_inputs", Shown(part.inputs).size())
      .Set("folder_outputs", Shown(part.outputs).size())
      .Set("folder_resources", Shown(part.resources).size());
}

}  // namespace

std::string ModuleFolderPath(const ModulePage& page, std::string_view folder) {
  const inspect::ModuleContents* contents = page.contents;
  std::string_view rest = folder;
  if (contents != nullptr && rest.starts_with("modules/") &&
      HasPart(contents->submodules, folder)) {
    rest.remove_prefix(std::string_view("modules/").size());
    return ModuleTabPath(page, fmt::format("submodules/{}", EncodedSegments(rest)));
  }
  if (contents != nullptr && rest.starts_with("examples/") && HasPart(contents->examples, folder)) {
    rest.remove_prefix(std::string_view("examples/").size());
    return ModuleTabPath(page, fmt::format("examples/{}", EncodedSegments(rest)));
  }
  return ModuleFilePath(page, folder);
}

const inspect::ModulePart* FindModuleFolder(const ModulePage& page, ModuleFolderKind kind,
                                            std::string_view path) {
  if (page.contents == nullptr) return nullptr;
  const std::vector<inspect::ModulePart>& parts = PartsOf(*page.contents, kind);
  const std::string_view top = IsExample(kind) ? "examples/" : "modules/";
  auto found = std::ranges::find_if(parts, [path, top](const inspect::ModulePart& each) {
    std::string_view own = each.path;
    if (own.starts_with(top)) own.remove_prefix(top.size());
    return own == path;
  });
  return found == parts.end() ? nullptr : &*found;
}

std::string RenderModuleFolders(const PageFrame& frame, const ModulePage& page,
                                ModuleFolderKind kind) {
  const bool examples = IsExample(kind);
  View view = ModuleView(frame, page, examples ? ModuleTab::kExamples : ModuleTab::kSubmodules);
  const std::vector<inspect::ModulePart> none;
  const std::vector<inspect::ModulePart>& parts =
      page.contents == nullptr ? none : PartsOf(*page.contents, kind);
  view.Set("is_examples", examples)
      .List("folders", parts | std::views::take(kMostShownFolders),
            [&page](const inspect::ModulePart& part) { return FolderRow(page, part); });
  return RenderTemplate("module_folders", frame.language, view);
}

std::string RenderModuleFolder(const PageFrame& frame, const ModulePage& page,
                               const ModuleFolderPage& folder) {
  const bool example = IsExample(folder.kind);
  const inspect::ModulePart& part = *folder.part;
  View view = ModuleView(frame, page, example ? ModuleTab::kExamples : ModuleTab::kSubmodules);
  std::optional<View> readme;
  if (!part.readme.file.empty()) {
    markup::MarkdownOptions options;
    options.most_output = kMostFolderReadme;
    options.heading_shift = 2;
    options.link_headings = true;
    ResolveBeside(page, part.path, options);
    markup::Rendered rendered = markup::RenderReadme(part.readme.file, part.readme.text, options);
    readme = View().Of(part.readme);
    AddContents(*readme, rendered.contents);
    readme->Set("readme", markup::Fragment::Of(std::move(rendered)));
  }
  std::size_t sources = 0;
  view.Set("folder_name", part.path)
      .Set("folder_files", ModuleFilePath(page, part.path))
      .Set("is_example", example)
      .Set("readme_part", std::move(readme))
      .List("inputs", Shown(part.inputs),
            [&page](const inspect::Input* each) { return InputView(page, *each); })
      .List("outputs", Shown(part.outputs),
            [&page](const inspect::Output* each) { return OutputView(page, *each); })
      .List("sources", folder.sources, [&sources](const ModuleSourceFile& each) {
        return CodeView(fmt::format("file-{}", ++sources), each.path,
                        markup::Fragment::Hcl(each.text))
            .Set("cut", each.cut);
      });
  AddFolderSnippet(page, part, view);
  AddResourceLists(page, part, view);
  return RenderTemplate("module_folder", frame.language, view);
}

}  // namespace koya::web
