// The tabs of submodules and examples, and the pages of single ones.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inspect/documents.h"
#include "markup/markdown.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostFolderReadme = 128U << 10;  // bytes of HTML
constexpr std::size_t kMostShownFolders = 500;

bool IsExample(ModuleFolderKind kind) { return kind == ModuleFolderKind::kExample; }

bool HasPart(const std::vector<inspect::ModulePart>& parts, std::string_view path) {
  return std::ranges::find(parts, path, &inspect::ModulePart::path) != parts.end();
}

std::string FolderLede(const inspect::ModulePart& part) { return PartSummary(part, 300); }

std::vector<View> SourceViews(const std::vector<ModuleSourceFile>& sources) {
  std::vector<View> views;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    View view = CodeView(fmt::format("file-{}", i + 1), sources[i].path,
                         markup::Fragment::Hcl(sources[i].text));
    view.Flag("is_cut", sources[i].cut);
    views.push_back(std::move(view));
  }
  return views;
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
  const bool example = IsExample(kind);
  const std::vector<inspect::ModulePart>& parts =
      example ? page.contents->examples : page.contents->submodules;
  const std::string_view top = example ? "examples/" : "modules/";
  auto found = std::ranges::find_if(parts, [path, top](const inspect::ModulePart& each) {
    std::string_view own = each.path;
    if (own.starts_with(top)) own.remove_prefix(top.size());
    return own == path;
  });
  return found == parts.end() ? nullptr : &*found;
}

std::vector<std::string> ModuleFolderFiles(const inspect::ModulePart& part) { return part.files; }

std::string RenderModuleFolders(const PageFrame& frame, const ModulePage& page,
                                ModuleFolderKind kind) {
  const bool examples = IsExample(kind);
  View view = ModuleView(frame, page, examples ? ModuleTab::kExamples : ModuleTab::kSubmodules);
  std::vector<View> folders;
  if (page.contents != nullptr) {
    for (const inspect::ModulePart& part :
         examples ? page.contents->examples : page.contents->submodules) {
      if (folders.size() == kMostShownFolders) break;
      const std::string lede = FolderLede(part);
      folders.push_back(View()
                            .Text("folder_path", ModuleFolderPath(page, part.path))
                            .Text("folder_name", part.path)
                            .Text("folder_text", lede)
                            .Text("folder_lang", inspect::GuessLanguage(lede))
                            .Text("folder_inputs", NumberText(CountShown(part.inputs)))
                            .Text("folder_outputs", NumberText(CountShown(part.outputs)))
                            .Text("folder_resources", NumberText(CountShown(part.resources))));
    }
  }
  view.Flag("is_examples", examples)
      .Flag("has_folders", !folders.empty())
      .List("folders", std::move(folders));
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
    ResolveBeside(page, part.path, options);
    readme = View()
                 .Html("readme", markup::Fragment::Of(markup::RenderReadme(
                                     part.readme.file, part.readme.text, options)))
                 .Text("readme_lang", part.readme.language);
  }
  std::vector<View> inputs = InputViews(page, ShownInputs(part));
  std::vector<View> outputs = OutputViews(page, ShownOutputs(part));
  view.Text("folder_name", part.path)
      .Text("title_name", TitleText(part.path))
      .Text("folder_files", ModuleFilePath(page, part.path))
      .Flag("is_example", example)
      .Maybe("readme_part", std::move(readme))
      .Flag("has_inputs", !inputs.empty())
      .Flag("has_outputs", !outputs.empty())
      .List("inputs", std::move(inputs))
      .List("outputs", std::move(outputs))
      .Flag("has_sources", !folder.sources.empty())
      .List("sources", SourceViews(folder.sources));
  AddFolderSnippet(page, part, view);
  AddResourceLists(page, part, view);
  return RenderTemplate("module_folder", frame.language, view);
}

}  // namespace koya::web
