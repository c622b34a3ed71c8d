#include "web/modules/module_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/percent_encoding.h"
#include "inspect/documents.h"
#include "inspect/file_names.h"
#include "markup/markdown.h"
#include "markup/plain_text.h"
#include "web/common/namespace_head.h"
#include "web/common/package_paths.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

constexpr std::size_t kMenuVersions = 8;
constexpr std::size_t kShownWarnings = 5;
constexpr std::size_t kLongestLede = 300;

// ---- the head

// The newest of each minor, newest first, with the one that is shown: at most kMenuVersions.
std::vector<const ModuleVersionRecord*> MenuVersions(const ModulePage& page) {
  std::vector<const ModuleVersionRecord*> menu;
  std::set<std::pair<std::uint64_t, std::uint64_t>> minors;
  bool shows_current = false;
  for (const ModuleVersionRecord& each : page.versions) {
    const bool current = each.version == page.record->version;
    const bool first_of_minor = minors.emplace(each.version.major(), each.version.minor()).second;
    const std::size_t room = kMenuVersions - (shows_current || current ? 0 : 1);
    if ((!current && !first_of_minor) || menu.size() >= room) continue;
    shows_current = shows_current || current;
    menu.push_back(&each);
  }
  return menu;
}

std::vector<View> VersionMenuViews(const PageFrame& frame, const ModulePage& page) {
  std::vector<View> views;
  for (const ModuleVersionRecord* each : MenuVersions(page)) {
    const bool newest = each->version == page.newest().version;
    View view;
    view.Text("menu_version", each->version.ToString())
        .Text("menu_path", newest ? ModuleAddressPath(each->address)
                                  : ModuleVersionPath(each->address, each->version))
        .Flag("is_current", each->version == page.record->version)
        .Flag("is_menu_newest", newest)
        .Flag("is_menu_deprecated", !each->deprecation.empty());
    AddTime(view, "menu", frame.language, each->published_at);
    views.push_back(std::move(view));
  }
  return views;
}

// What its author says of it, in a sentence.
std::string LedeOf(const ModulePage& page) {
  if (!page.record->description.empty()) return page.record->description;
  if (page.contents == nullptr) return {};
  const inspect::ModulePart& root = page.contents->root;
  return PartSummary(root, kLongestLede);
}

void AddHead(const PageFrame& frame, const ModulePage& page, View& view) {
  const ModuleVersionRecord& record = *page.record;
  const std::string lede = LedeOf(page).substr(0, 2 * kLongestLede);
  view.Text("module_ns", record.address.ns())
      .Text("module_name", record.address.name())
      .Text("module_system", record.address.system())
      .Text("module_address", record.address.ToString())
      .Text("module_version", record.version.ToString())
      .Text("title_module",
            fmt::format("{} {}", record.address.ToString(), record.version.ToString()))
      .Text("lede", markup::OneLine(lede, kLongestLede))
      .Text("lede_lang", inspect::GuessLanguage(lede))
      .Text("publisher", record.published_by)
      .Flag("is_verified", !record.provenance.empty())
      .Text("fetches", page.fetches ? NumberText(*page.fetches) : "")
      .Flag("is_one_fetch", page.fetches && *page.fetches == 1)
      .Text("versions_path", ModuleTabPath(page, "versions"))
      .Text("used_by_path", ModuleTabPath(page, "used-by"))
      .Text("usage_path", ModuleTabPath(page, "usage"))
      .Text("inputs_path", ModuleTabPath(page, "inputs"))
      .Text("feed_path", ModuleFeedPath(record.address.ToString()))
      .Text("json_path", ModuleVersionPath(record.address, record.version) + ".json")
      .Text("markdown_path", ModuleVersionPath(record.address, record.version) + ".md")
      .List("menu", VersionMenuViews(frame, page));
  AddTime(view, "published", frame.language, record.published_at);
  AddOwners(view, page.owners);
}

// ---- notes

// Releases above this version.
std::size_t VersionsBehind(const ModulePage& page) {
  const auto above = [&page](const ModuleVersionRecord& each) {
    return !each.version.is_prerelease() && each.version > page.record->version;
  };
  return static_cast<std::size_t>(std::ranges::count_if(page.versions, above));
}

std::string ChangesPath(const ModulePage& page, const Version& from, const Version& to) {
  return PathWith(PathWith(ModuleTabPath(page, "changes"), "from", from.ToString()), "to",
                  to.ToString());
}

std::vector<View> WarningViews(const ModulePage& page) {
  std::vector<View> views;
  if (page.contents == nullptr) return views;
  for (const inspect::Warning& each : page.contents->warnings) {
    if (views.size() == kShownWarnings) break;
    views.push_back(
        View()
            .Text("warning_place", each.place.file.empty() ? "" : each.place.ToString())
            .Text("warning_text", each.what)
            .Text("warning_path", each.place.file.empty()
                                      ? ""
                                      : ModuleFilePath(page, each.place.file, each.place.line)));
  }
  return views;
}

void AddNotes(const ModulePage& page, View& view) {
  const ModuleVersionRecord& record = *page.record;
  const ModuleVersionRecord& newest = page.newest();
  const std::size_t behind = VersionsBehind(page);
  const std::size_t warnings =
      page.contents == nullptr ? 0
                               : page.contents->warnings.size() + page.contents->warnings_left_out;
  const bool has_successor = newest.version > record.version && newest.deprecation.empty();
  view.Flag("is_behind", behind > 0)
      .Flag("is_one_behind", behind == 1)
      .Text("behind", NumberText(behind))
      .Text("newest_version", newest.version.ToString())
      .Text("newest_path", ModuleAddressPath(record.address))
      .Text("behind_path", ChangesPath(page, record.version, newest.version))
      .Flag("is_prerelease", record.version.is_prerelease())
      .Text("deprecation", record.deprecation)
      .Text("deprecation_lang", inspect::GuessLanguage(record.deprecation))
      .Flag("has_successor", has_successor)
      .Flag("is_unread", page.contents == nullptr)
      .Flag("has_warnings", warnings > 0)
      .Flag("is_one_warning", warnings == 1)
      .Text("warning_count", NumberText(warnings))
      .List("warnings", WarningViews(page));
}

// ---- tabs

struct ShownTab {
  ModuleTab tab;
  std::string_view name;    // of its flag: "is_readme_tab"
  std::string_view suffix;  // of its address
  std::optional<std::size_t> count;
};

std::vector<ShownTab> TabsOf(const ModulePage& page) {
  const std::size_t all = page.versions.size();
  std::vector<ShownTab> tabs{{ModuleTab::kReadme, "readme", "", std::nullopt}};
  if (page.contents != nullptr) {
    const inspect::ModulePart& root = page.contents->root;
    const std::size_t needs = root.requirements.size() + CountShown(root.calls) +
                              (root.required_version.empty() ? 0 : 1) +
                              (root.required_opentofu.empty() ? 0 : 1);
    if (!UsesSubmodules(page)) {
      tabs.push_back({ModuleTab::kInputs, "inputs", "inputs", CountShown(root.inputs)});
      tabs.push_back({ModuleTab::kOutputs, "outputs", "outputs", CountShown(root.outputs)});
      tabs.push_back({ModuleTab::kResources, "resources", "resources", CountShown(root.resources)});
      tabs.push_back({ModuleTab::kDependencies, "dependencies", "dependencies", needs});
    }
    if (!page.contents->submodules.empty()) {
      tabs.push_back(
          {ModuleTab::kSubmodules, "submodules", "submodules", page.contents->submodules.size()});
    }
    if (!page.contents->examples.empty()) {
      tabs.push_back(
          {ModuleTab::kExamples, "examples", "examples", page.contents->examples.size()});
    }
  }
  tabs.push_back({ModuleTab::kVersions, "versions", "versions", all});
  tabs.push_back({ModuleTab::kChanges, "changes", "changes", std::nullopt});
  tabs.push_back({ModuleTab::kFiles, "files", "files", std::nullopt});
  return tabs;
}

std::vector<View> TabViews(const ModulePage& page, ModuleTab current) {
  const std::vector<ShownTab> tabs = TabsOf(page);
  constexpr std::string_view kNames[] = {"readme",       "inputs",     "outputs",  "resources",
                                         "dependencies", "submodules", "examples", "versions",
                                         "changes",      "files"};
  std::vector<View> views;
  views.reserve(tabs.size());
  for (const ShownTab& each : tabs) {
    View view;
    view.Text("tab_path", ModuleTabPath(page, each.suffix))
        .Flag("is_current", each.tab == current)
        .Text("tab_count", each.count ? NumberText(*each.count) : "");
    for (std::string_view name : kNames) {
      view.Flag(fmt::format("is_{}_tab", name), each.name == name);
    }
    views.push_back(std::move(view));
  }
  return views;
}

// Markdown headings get id attributes as link targets; with many texts on a page the ids would be
// ambiguous.
std::string WithoutNames(std::string html) {
  constexpr std::string_view kName = " id=\"user-";
  for (std::size_t at = html.find(kName); at != html.npos; at = html.find(kName, at)) {
    html.erase(at, html.find('"', at + kName.size()) + 1 - at);
  }
  return html;
}

}  // namespace

const ModuleVersionRecord& ModulePage::newest() const {
  auto release = std::ranges::find_if(
      versions, [](const ModuleVersionRecord& each) { return !each.version.is_prerelease(); });
  return release == versions.end() ? versions.front() : *release;
}

const ModuleVersionRecord* ModulePage::before() const {
  const Version& version = record->version;
  auto found = std::ranges::find_if(versions, [&version](const ModuleVersionRecord& each) {
    return each.version < version && (version.is_prerelease() || !each.version.is_prerelease());
  });
  return found == versions.end() ? nullptr : &*found;
}

std::string ModuleAddressPath(const ModuleAddress& address) {
  return ModulePath(address.ToString());
}

std::string ModuleVersionPath(const ModuleAddress& address, const Version& version,
                              std::string_view tab) {
  return ModulePath(address.ToString(), version.ToString(), tab);
}

std::string ModuleTabPath(const ModulePage& page, std::string_view tab) {
  if (!page.by_latest) return ModuleVersionPath(page.record->address, page.record->version, tab);
  const std::string path = ModuleAddressPath(page.record->address);
  return tab.empty() ? path : fmt::format("{}/latest/{}", path, tab);
}

std::string EncodedSegments(std::string_view path) {
  std::string encoded;
  while (!path.empty()) {
    std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (!encoded.empty()) encoded += '/';
    encoded += PercentEncode(part);
  }
  return encoded;
}

std::string ModuleFilePath(const ModulePage& page, std::string_view path, std::uint64_t line) {
  std::string encoded = ModuleTabPath(page, "files");
  if (!path.empty()) encoded += '/' + EncodedSegments(path);
  return line == 0 ? encoded : fmt::format("{}#L{}", encoded, line);
}

namespace {

// The file that `address` leads to from `folder`: an address of the web, whose query says how a
// file is shown elsewhere. None: it leads out of the archive.
std::optional<std::string> FileBeside(std::string_view folder, std::string_view address) {
  const std::string path = PercentDecode(address.substr(0, address.find('?')));
  return inspect::JoinFolders(path.starts_with('/') ? std::string_view() : folder, path);
}

// Where a README is shown, not its source: only there its headings have names.
std::optional<std::string> ReadmePath(const ModulePage& page, std::string_view file) {
  if (page.contents == nullptr) return std::nullopt;
  if (file == page.contents->root.readme.file) return ModuleTabPath(page, "");
  for (const auto* parts : {&page.contents->submodules, &page.contents->examples}) {
    for (const inspect::ModulePart& each : *parts) {
      if (each.readme.file == file) return ModuleFolderPath(page, each.path);
    }
  }
  return std::nullopt;
}

}  // namespace

void ResolveBeside(const ModulePage& page, std::string_view folder,
                   markup::MarkdownOptions& options) {
  options.link = [&page, folder](std::string_view address) -> std::optional<std::string> {
    const std::optional<std::string> file = FileBeside(folder, address);
    if (!file) return std::nullopt;
    const std::optional<std::string> readme = ReadmePath(page, *file);
    return readme ? *readme : ModuleFolderPath(page, *file);
  };
  options.image = [&page, folder](std::string_view address) -> std::optional<std::string> {
    const std::optional<std::string> file = FileBeside(folder, address);
    if (!file || file->empty()) return std::nullopt;
    return ModuleFilePath(page, *file) + "?raw=1";
  };
}

View ModuleView(const PageFrame& frame, const ModulePage& page, ModuleTab tab) {
  PageFrame framed = frame;
  const ModuleAddress& address = page.record->address;
  framed.current = Section::kModules;
  framed.crumbs = {{address.ns(), NamespacePath(address.ns())}};
  framed.feed = ModuleFeedPath(address.ToString());
  if (framed.description.empty()) {
    framed.description = markup::OneLine(LedeOf(page), kLongestLede);
  }
  View view = FrameView(framed);
  AddHead(frame, page, view);
  AddNotes(page, view);
  view.List("tabs", TabViews(page, tab));
  return view;
}

std::string AuthorSummary(std::string_view markdown, std::size_t most) {
  markup::MarkdownOptions options;
  options.most_input = 16U << 10;
  return markup::OneLine(markup::RenderMarkdown(markdown, options).summary, most);
}

std::string PartSummary(const inspect::ModulePart& part, std::size_t most) {
  markup::MarkdownOptions options;
  options.most_input = 16U << 10;
  const std::string said =
      markup::RenderReadme(part.readme.file, part.readme.text, options).summary;
  if (!said.empty()) return markup::OneLine(said, most);
  return markup::IsLicenceNotice(part.header) ? "" : AuthorSummary(part.header, most);
}

markup::Fragment AuthorText(const ModulePage& page, std::string_view folder,
                            std::string_view markdown) {
  markup::MarkdownOptions options;
  ResolveBeside(page, folder, options);
  options.most_input = 64U << 10;
  options.most_output = 128U << 10;
  options.heading_shift = 3;
  markup::Rendered rendered = markup::RenderMarkdown(markdown, options);
  rendered.html = WithoutNames(std::move(rendered.html));
  return markup::Fragment::Of(std::move(rendered));
}

}  // namespace koya::web
