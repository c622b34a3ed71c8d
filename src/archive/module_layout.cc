#include "archive/module_layout.h"

#include <algorithm>
#include <array>
#include <optional>

#include "archive/entry_name.h"
#include "archive/refusal.h"

namespace koya {
namespace {

// Sorts before everything a name may hold, so that a folder's content follows it directly.
constexpr char kSeparator = '\x01';

// The length of the longest run of whole segments that both keys share.
std::size_t SharedSegments(std::string_view a, std::string_view b) {
  auto [end, other] = std::ranges::mismatch(a, b);
  auto shared = static_cast<std::size_t>(end - a.begin());
  auto complete = [&](std::string_view key) {
    return shared == key.size() || key[shared] == kSeparator;
  };
  if (complete(a) && complete(b)) return shared;
  std::size_t cut = a.substr(0, shared).rfind(kSeparator);
  return cut == std::string_view::npos ? 0 : cut;
}

Failure Conflict(std::string_view a, std::string_view b) {
  return Fail(ErrorKind::kRefused,
              fmt::format("entries \"{}\" and \"{}\" differ only in letter case, so one replaces "
                          "the other on macOS and Windows; rename one",
                          Printable(a), Printable(b)));
}

}  // namespace

bool IsModuleFile(std::string_view name) {
  if (name.starts_with('.') || name.find('/') != std::string_view::npos) return false;
  return std::ranges::any_of(
      std::to_array<std::string_view>({".tf", ".tofu", ".tf.json", ".tofu.json"}),
      [&](std::string_view suffix) { return name.ends_with(suffix); });
}

void ModuleLayout::Add(const ArchiveEntry& entry) {
  if (!entry.name.empty()) names_.push_back({entry.name, entry.directory});
}

Status ModuleLayout::CheckNames() const {
  struct Keyed {
    std::string key;
    const Named* named;
  };
  std::vector<Keyed> sorted;
  sorted.reserve(names_.size());
  for (const Named& named : names_) {
    std::string key = FoldCase(named.name);
    std::ranges::replace(key, '/', kSeparator);
    sorted.push_back({std::move(key), &named});
  }
  std::ranges::sort(sorted, {}, &Keyed::key);
  // Names that share a folder are neighbours, so each kind of conflict shows between two of them.
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const Keyed& a = sorted[i - 1];
    const Keyed& b = sorted[i];
    if (a.named->name == b.named->name) {
      return RefuseEntry(b.named->name, "is in the archive twice; pack the module again");
    }
    // Folding keeps lengths, so the shared part of the keys is the same part of both names.
    std::size_t shared = SharedSegments(a.key, b.key);
    if (a.named->name.compare(0, shared, b.named->name, 0, shared) != 0) {
      return Conflict(a.named->name, b.named->name);
    }
    if (shared == a.key.size() && !a.named->directory) {
      return RefuseEntry(a.named->name,
                         fmt::format("is a file, and a folder too (entry \"{}\"); rename one",
                                     Printable(b.named->name)));
    }
  }
  return {};
}

Result<std::string> ModuleLayout::FindModule() const {
  bool any_file = false;
  std::optional<std::string_view> top;
  bool single = true;
  bool top_has_module = false;
  // One pass: is there a single top folder, and does it hold a module file?
  for (const Named& named : names_) {
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
    }
  }
  if (!any_file) return RefuseArchive("is empty: it holds no files; pack the module's folder");
  if (single && top_has_module) return std::string(*top);
  return RefuseArchive(fmt::format(
      "has no .tf, .tofu, .tf.json or .tofu.json file at its root{}; pack the content of the "
      "module's folder",
      single ? fmt::format(" or in its folder \"{}\"", Printable(*top)) : ""));
}

}  // namespace koya
