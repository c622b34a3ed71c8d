#include "archive/module_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"

namespace koya {

bool IsModuleFile(std::string_view name) {
  if (name.starts_with('.') || name.find('/') != std::string_view::npos) return false;
  return std::ranges::any_of(
      std::to_array<std::string_view>({".tf", ".tofu", ".tf.json", ".tofu.json"}),
      [&](std::string_view suffix) { return name.ends_with(suffix); });
}

bool IsConfiguration(std::string_view name) {
  std::size_t slash = name.rfind('/');
  return IsModuleFile(slash == std::string_view::npos ? name : name.substr(slash + 1));
}

void ModuleLayout::Add(const ArchiveEntry& entry) {
  if (!entry.name.empty()) entries_.push_back(entry);
}

Status ModuleLayout::CheckNames() const {
  const bool foreign = rules_ == ModuleRules::kForeign;
  if (foreign) return RefuseNameConflicts(entries_, LetterCase::kAllow);
  for (const ArchiveEntry& each : entries_) {
    const std::string_view problem = WindowsProblem(each.name);
    if (problem.empty()) continue;
    return RefuseEntry(each.name,
                       fmt::format("cannot be written on Windows, where every client would "
                                   "fail: a part of its name {}; rename it",
                                   problem));
  }
  return RefuseNameConflicts(entries_, LetterCase::kRefuse);
}

Result<std::string> ModuleLayout::FindModule() const {
  Result<std::string> found = FindPublished();
  if (found || rules_ != ModuleRules::kForeign) return found;
  const bool any = std::ranges::any_of(entries_, [](const ArchiveEntry& named) {
    return !named.directory && IsConfiguration(named.name);
  });
  return any ? std::string() : found;
}

namespace {

// What lies below the folder "modules".
struct BelowModules {
  bool folder = false;  // a folder with configuration
  bool file = false;    // configuration in "modules" itself

  void Note(std::string_view name) {
    constexpr std::string_view kFolder = "modules/";
    if (!name.starts_with(kFolder) || !IsConfiguration(name)) return;
    (name.find('/', kFolder.size()) == std::string_view::npos ? file : folder) = true;
  }
};

}  // namespace

Result<std::string> ModuleLayout::FindPublished() const {
  bool any_file = false;
  std::optional<std::string_view> top;
  bool single = true;
  bool top_has_module = false;
  BelowModules in_root;
  BelowModules in_top;
  // One pass: is there a single top folder, and does it hold a module file?
  for (const ArchiveEntry& named : entries_) {
    if (!named.directory && IsModuleFile(named.name)) return std::string();
    if (IsMacNoise(named.name)) continue;
    any_file = any_file || !named.directory;
    std::string_view name = named.name;
    std::size_t slash = name.find('/');
    std::string_view first = name.substr(0, slash);
    if (top.value_or(first) != first || (slash == std::string_view::npos && !named.directory)) {
      single = false;
    }
    top = first;
    if (!named.directory && slash != std::string_view::npos) {
      top_has_module = top_has_module || IsModuleFile(name.substr(slash + 1));
      in_root.Note(name);
      in_top.Note(name.substr(slash + 1));
    }
  }
  if (!any_file) return RefuseArchive("is empty: it has no files; pack the module's folder");
  if (single && top_has_module) return std::string(*top);
  if (rules_ == ModuleRules::kPublished) {
    if (in_root.folder) return std::string();
    // Without its top folder, an archive with a file in "modules" itself would be read as one whose
    // top folder is that.
    if (single && in_top.folder && !in_top.file) return std::string(*top);
  }
  return RefuseArchive(fmt::format(
      "has no .tf, .tofu, .tf.json or .tofu.json file at its root{}, nor in a folder below "
      "\"modules\"; pack the content of the module's folder",
      single ? fmt::format(" or in its folder \"{}\"", Printable(*top)) : ""));
}

}  // namespace koya
