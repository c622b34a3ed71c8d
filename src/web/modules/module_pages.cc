#include "web/modules/module_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "inspect/file_names.h"
#include "markup/markdown.h"
#include "markup/plain_text.h"
#include "web/common/page_paths.h"
#include "web/common/text_safety.h"
#include "web/common/view.h"
#include "web/modules/module_parts.h"
#include "wire/identity.h"

namespace koya::web {
namespace {

constexpr std::size_t kMenuVersions = 8;
constexpr std::size_t kShownWarnings = 5;
constexpr std::size_t kLongestLede = 300;

// What the paths of all tabs but the first begin with.
std::string TabsPath(const ModulePage& page) {
  const ModuleVersionRecord& record = *page.record;
  return page.by_latest ? ModuleAddressPath(record.address) + "/latest"
                        : ModuleVersionPath(record.address, record.version);
}

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

View MenuView(const ModulePage& page, const ModuleVersionRecord& each) {
  const bool newest = each.version == page.newest().version;
  return View()
      .Set("menu_version", each.version)
      .Set("menu_path",
           newest ? ModuleAddressPath(each.address) : ModuleVersionPath(each.address, each.version))
      .Set("is_current", each.version == page.record->version)
      .Set("is_menu_newest", newest)
      .Set("menu_deprecation", each.deprecation)
      .Set("menu_at", each.published_at);
}

// What its author says of it, in a sentence.
std::string LedeOf(const ModulePage& page) {
  if (!page.record->description.empty()) return page.record->description;
  return PartSummary(page.root(), kLongestLede);
}

void AddHead(const ModulePage& page, View& view) {
  const ModuleVersionRecord& record = *page.record;
  view.Set("module_ns", record.address.ns())
      .Set("module_name", record.address.name())
      .Set("module_system", record.address.system())
      .Set("module_address", record.address)
      .Set("module_version", record.version)
      .Set("visibility", VisibilityWord(page.visibility))
      .Set("may_deprecate", page.rights.may_deprecate)
      .Set("may_withdraw", page.rights.may_withdraw)
      .Set("version_path", ModuleVersionPath(record.address, record.version))
      .Set("title_module",
           fmt::format("{} {}", record.address.ToString(), record.version.ToString()))
      .Set("lede", markup::OneLine(LedeOf(page), kLongestLede))
      .Set("publisher", record.published_by)
      .Set("is_verified", wire::HasClaims(record.provenance))
      .Set("fetches", page.fetches)
      .Set("published_at", record.published_at)
      .Set("tabs_path", TabsPath(page))
      .Set("twin_path", ModuleVersionPath(record.address, record.version))
      .List("menu", MenuVersions(page),
            [&page](const ModuleVersionRecord* each) { return MenuView(page, *each); });
  AddOwners(view, page.owners);
  AddSource(view, page.source);
}

// ---- notes

// Releases above this version.
std::size_t VersionsBehind(const ModulePage& page) {
  const auto above = [&page](const ModuleVersionRecord& each) {
    return !each.version.is_prerelease() && each.version > page.record->version;
  };
  return static_cast<std::size_t>(std::ranges::count_if(page.versions, above));
}

View WarningView(const ModulePage& page, const inspect::Warning& each) {
  View view;
  AddPlace(page, each.place, view);
  return view.Set("warning_text", each.what);
}

void AddNotes(const ModulePage& page, View& view) {
  const ModuleVersionRecord& record = *page.record;
  const ModuleVersionRecord& newest = page.newest();
  const std::vector<inspect::Warning> none;
  const auto& warnings = page.contents == nullptr ? none : page.contents->warnings;
  const std::size_t more = page.contents == nullptr ? 0 : page.contents->warnings_left_out;
  view.Set("behind", VersionsBehind(page))
      .Set("newest_version", newest.version)
      .Set("newest_path", ModuleAddressPath(record.address))
      .Set("is_prerelease", record.version.is_prerelease())
      .Set("deprecation", record.deprecation)
      .Set("has_successor", newest.version > record.version && newest.deprecation.empty())
      .Set("is_unread", page.contents == nullptr)
      .Set("warning_count", warnings.size() + more)
      .List("warnings", warnings | std::views::take(kShownWarnings),
            [&page](const inspect::Warning& each) { return WarningView(page, each); });
}

// ---- tabs

std::vector<View> TabViews(const ModulePage& page, ModuleTab current) {
  std::vector<View> tabs;
  const auto add = [&](ModuleTab tab, std::string_view suffix, std::optional<std::size_t> count) {
    tabs.push_back(View()
                       .Set("tab", tab)
                       .Set("tab_path", ModuleTabPath(page, suffix))
                       .Set("is_current", tab == current)
                       .Set("tab_count", count));
  };
  add(ModuleTab::kReadme, "", std::nullopt);
  if (page.contents != nullptr) {
    const inspect::ModulePart& root = page.root();
    if (!UsesSubmodules(page)) {
      add(ModuleTab::kInputs, "inputs", Shown(root.inputs).size());
      add(ModuleTab::kOutputs, "outputs", Shown(root.outputs).size());
      add(ModuleTab::kResources, "resources", Shown(root.resources).size());
      add(ModuleTab::kDependencies, "dependencies",
          root.requirements.size() + Shown(root.calls).size() +
              (root.required_version.empty() ? 0 : 1) + (root.required_opentofu.empty() ? 0 : 1));
    }
    const std::size_t submodules = page.contents->submodules.size();
    const std::size_t examples = page.contents->examples.size();
    if (submodules > 0) add(ModuleTab::kSubmodules, "submodules", submodules);
    if (examples > 0) add(ModuleTab::kExamples, "examples", examples);
  }
  add(ModuleTab::kVersions, "versions", page.versions.size());
  add(ModuleTab::kChanges, "changes", std::nullopt);
  add(ModuleTab::kUsedBy, "used-by", std::nullopt);
  add(ModuleTab::kFiles, "files", std::nullopt);
  return tabs;
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

const inspect::ModulePart& ModulePage::root() const {
  static const inspect::ModulePart kEmpty;
  return contents == nullptr ? kEmpty : contents->root;
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
  return tab.empty() ? ModuleAddressPath(page.record->address)
                     : fmt::format("{}/{}", TabsPath(page), tab);
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
  AddHead(page, view);
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
