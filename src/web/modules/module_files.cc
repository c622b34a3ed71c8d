// The tab of files, and the pages of single ones.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {

namespace {
struct FolderEntry {
  std::string_view name;
  std::string_view path;
  bool is_folder = false;
  std::uint64_t bytes = 0;
};
}  // namespace

KOYA_VIEW(FolderEntry, name, is_folder, bytes);
KOYA_VIEW(ModuleFilesPage, is_file, is_text, cut, size);

namespace {

// Of a folder; those after them are counted.
constexpr std::size_t kMostEntries = 1000;
// Lines that can be linked to; the rest of the file follows them without numbers.
constexpr std::size_t kMostLines = 5000;

// What lies in the folder itself, folders first, each in order of name.
std::vector<FolderEntry> EntriesOf(const inspect::ModuleContents& contents,
                                   std::string_view folder) {
  std::vector<FolderEntry> folders;
  std::vector<FolderEntry> files;
  std::set<std::string_view> seen;
  const std::size_t prefix = folder.empty() ? 0 : folder.size() + 1;
  for (const inspect::FileSize& file : contents.files) {
    std::string_view path = file.path;
    const bool inside = folder.empty() || (path.starts_with(folder) && path.size() > prefix &&
                                           path[folder.size()] == '/');
    if (!inside) continue;
    const std::size_t slash = path.find('/', prefix);
    if (slash == path.npos) {
      files.push_back({path.substr(prefix), path, false, file.bytes});
    } else if (seen.insert(path.substr(prefix, slash - prefix)).second) {
      folders.push_back({path.substr(prefix, slash - prefix), path.substr(0, slash), true, 0});
    }
  }
  folders.insert(folders.end(), files.begin(), files.end());
  return folders;
}

// The folders above, from the root: each a link.
std::vector<View> AboveViews(const ModulePage& page, std::string_view path) {
  std::vector<View> views;
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::size_t begin = path.rfind('/', slash - 1) + 1;
    views.push_back(View()
                        .Set("above_name", path.substr(begin, slash - begin))
                        .Set("above_path", ModuleFilePath(page, path.substr(0, slash))));
  }
  return views;
}

bool IsConfiguration(std::string_view path) {
  constexpr std::string_view kEndings[] = {".tf", ".tofu", ".hcl", ".tfvars"};
  return std::ranges::any_of(kEndings, [path](auto each) { return path.ends_with(each); });
}

}  // namespace

bool IsModuleFolder(const ModulePage& page, std::string_view path) {
  if (page.contents == nullptr || path.empty()) return false;
  const std::string folder = std::string(path) + "/";
  return std::ranges::any_of(page.contents->files, [&folder](const inspect::FileSize& each) {
    return each.path.starts_with(folder);
  });
}

bool LacksModuleFile(const ModulePage& page, std::string_view path) {
  if (page.contents == nullptr) return false;
  const std::vector<inspect::FileSize>& files = page.contents->files;
  const bool all_listed = files.size() == page.contents->file_count;
  return all_listed && std::ranges::find(files, path, &inspect::FileSize::path) == files.end();
}

std::string RenderModuleFiles(const PageFrame& frame, const ModulePage& page,
                              const ModuleFilesPage& files) {
  View view = ModuleView(frame, page, ModuleTab::kFiles);
  std::vector<FolderEntry> entries;
  if (page.contents != nullptr && !files.is_file) entries = EntriesOf(*page.contents, files.path);
  std::optional<View> source;
  if (files.is_text) {
    markup::Fragment code = IsConfiguration(files.path) ? markup::Fragment::Hcl(files.text)
                                                        : markup::Fragment::Code(files.text);
    source = CodeView("source", files.path, markup::Fragment::Lines(std::move(code), kMostLines));
  }
  const std::string name = files.path.substr(files.path.rfind('/') + 1);
  view.Of(files)
      .Set("file_name", name)
      .List("above", AboveViews(page, files.path))
      .Set("file_path", ModuleFilePath(page, files.path))
      .Set("source", std::move(source))
      .Set("has_more_entries", entries.size() > kMostEntries)
      .Set("entry_count", entries.size())
      .List("entries", entries | std::views::take(kMostEntries), [&page](const FolderEntry& each) {
        return View().Of(each).Set("entry_path", ModuleFilePath(page, each.path));
      });
  return RenderTemplate("module_files", frame.language, view);
}

}  // namespace koya::web
