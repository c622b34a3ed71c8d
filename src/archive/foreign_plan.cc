// PlanForeignModule: which files of somebody else's archive are the module, links followed.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "archive/entry_name.h"
#include "archive/module_layout.h"
#include "archive/name_conflicts.h"
#include "archive/refusal.h"
#include "archive/repack_plan.h"

namespace koya {
namespace {

constexpr int kMostHops = 40;       // of one path through links, as Linux has it
constexpr int kDeepestFolders = 8;  // links to folders within copies of folders
constexpr std::size_t kMostNotes = 20;

std::deque<std::string> Segments(std::string_view path) {
  std::deque<std::string> segments;
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) segments.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

std::string Join(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : fmt::format("{}/{}", folder, name);
}

std::string FolderOf(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

bool LiesIn(std::string_view path, std::string_view folder) {
  if (folder.empty() || path == folder) return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// The entries as a file system of names.
class Tree {
 public:
  explicit Tree(std::span<const ArchiveEntry> entries) : entries_(entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const ArchiveEntry& entry = entries[i];
      std::string folder = entry.directory ? entry.name : FolderOf(entry.name);
      for (; folders_.insert(folder).second; folder = FolderOf(folder)) {
      }
      if (!entry.directory) files_.emplace(entry.name, i);
    }
  }

  const ArchiveEntry& entry(std::size_t index) const { return entries_[index]; }
  bool HasFolder(const std::string& path) const { return folders_.contains(path); }

  // Which entry is the file or link of that name.
  std::optional<std::size_t> Find(const std::string& path) const {
    auto found = files_.find(path);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }

  // Where `path` leads when every link on the way is followed; nothing when it leads out of the
  // archive or round in circles. What is there, if anything, is no link.
  std::optional<std::string> Follow(std::string_view path) const {
    std::deque<std::string> left = Segments(path);
    std::string at;
    int hops = 0;
    while (!left.empty()) {
      std::string segment = std::move(left.front());
      left.pop_front();
      if (segment == ".") continue;
      if (segment == "..") {
        if (at.empty()) return std::nullopt;
        at = FolderOf(at);
        continue;
      }
      std::string next = Join(at, segment);
      std::optional<std::size_t> found = Find(next);
      if (!found || entry(*found).link == LinkKind::kNone) {
        at = std::move(next);
        continue;
      }
      const ArchiveEntry& link = entry(*found);
      if (++hops > kMostHops || link.target.empty() || link.target.starts_with('/')) {
        return std::nullopt;
      }
      // A hard link says the other name from the root, a symbolic one from its own folder.
      if (link.link == LinkKind::kHard) at.clear();
      std::deque<std::string> target = Segments(link.target);
      left.insert(left.begin(), target.begin(), target.end());
    }
    return at;
  }

  // The files and links in `folder`, at any depth, in order of name.
  std::vector<std::size_t> In(const std::string& folder) const {
    std::vector<std::size_t> found;
    std::string prefix = folder.empty() ? "" : folder + "/";
    for (auto at = files_.lower_bound(prefix); at != files_.end(); ++at) {
      if (!at->first.starts_with(prefix)) break;
      found.push_back(at->second);
    }
    return found;
  }

  // The archive's one top folder, not counting what macOS adds.
  std::optional<std::string> TopFolder() const {
    std::optional<std::string> top;
    for (const auto& [name, index] : files_) {
      if (IsMacNoise(name)) continue;
      std::size_t slash = name.find('/');
      if (slash == std::string::npos) return std::nullopt;
      std::string first = name.substr(0, slash);
      if (top && *top != first) return std::nullopt;
      top = std::move(first);
    }
    return top;
  }

 private:
  std::span<const ArchiveEntry> entries_;
  std::map<std::string, std::size_t> files_;  // and links
  std::set<std::string> folders_;
};

class Planner {
 public:
  Planner(const Tree& tree, const ArchiveLimits& limits) : tree_(tree), limits_(limits) {}

  // Plans what lies in `folder` of the archive to stand in `as` of the module.
  Status AddFolder(const std::string& folder, const std::string& as, int depth) {
    for (std::size_t index : tree_.In(folder)) {
      const ArchiveEntry& entry = tree_.entry(index);
      std::string rest = folder.empty() ? entry.name : entry.name.substr(folder.size() + 1);
      if (folder.empty() && IsMacNoise(rest)) continue;
      std::string name = Join(as, rest);
      if (entry.link == LinkKind::kNone) {
        RETURN_IF_ERROR(AddFile(index, std::move(name)));
      } else {
        RETURN_IF_ERROR(AddLink(entry, std::move(name), depth));
      }
    }
    return {};
  }

  RepackPlan Take() {
    std::ranges::sort(plan_.files, {}, [](const PlannedFile& planned) -> const std::string& {
      return planned.file.name;
    });
    return std::move(plan_);
  }

 private:
  Status AddFile(std::size_t index, std::string name) {
    ArchiveEntry file = tree_.entry(index);
    bytes_ += file.size;
    if (plan_.files.size() >= limits_.entries || bytes_ > limits_.unpacked_bytes) {
      return RefuseArchive(
          "grows beyond limits.archive_entries or limits.module_unpacked_bytes when its links are "
          "replaced by copies",
          bytes_ > limits_.unpacked_bytes ? limits_.unpacked_name : kEntriesLimit);
    }
    file.name = std::move(name);
    plan_.files.push_back({std::move(file), index});
    return {};
  }

  Status AddLink(const ArchiveEntry& link, std::string name, int depth) {
    std::optional<std::string> target = tree_.Follow(link.name);
    if (!target) return LeaveOut(link, "leads out of the archive, or round in circles");
    if (std::optional<std::size_t> file = tree_.Find(*target)) {
      return AddFile(*file, std::move(name));
    }
    if (!tree_.HasFolder(*target)) return LeaveOut(link, "leads nowhere");
    std::optional<std::string> own_folder = tree_.Follow(FolderOf(link.name));
    if (!own_folder || LiesIn(*own_folder, *target)) {
      return LeaveOut(link, "leads to a folder that it lies in");
    }
    if (depth == kDeepestFolders) return LeaveOut(link, "lies too deep in other links");
    return AddFolder(*target, name, depth + 1);
  }

  Status LeaveOut(const ArchiveEntry& link, std::string_view why) {
    if (plan_.left_out.size() < kMostNotes) {
      plan_.left_out.push_back(
          fmt::format("the link \"{}\" is left out: it {}", Printable(link.name), why));
    }
    return {};
  }

  const Tree& tree_;
  const ArchiveLimits& limits_;
  RepackPlan plan_;
  std::uint64_t bytes_ = 0;
};

// Names that differ in letter case only can stand side by side where the module was made.
Status CheckNames(std::span<const ArchiveEntry> entries) {
  std::vector<ArchiveEntry> named;
  std::ranges::copy_if(entries, std::back_inserter(named),
                       [](const ArchiveEntry& entry) { return !entry.name.empty(); });
  return VisitNameConflicts(named, [](const NameConflict& conflict) -> Status {
    if (conflict.kind == NameConflict::Kind::kLetterCase) return {};
    return Fail(ErrorKind::kRefused, conflict.Describe());
  });
}

Result<std::string> LocateFolder(const Tree& tree, std::string_view folder) {
  std::string place(folder);
  if (place == "*" || place.starts_with("*/")) {
    std::optional<std::string> top = tree.TopFolder();
    if (!top) return RefuseArchive("has no single top folder, where its module is said to lie");
    place = *top + place.substr(1);
  }
  std::optional<std::string> real = tree.Follow(place);
  if (real && tree.HasFolder(*real)) return *real;
  return RefuseArchive(
      fmt::format("has no folder \"{}\", where its module is said to lie", Printable(place)));
}

bool HasConfiguration(const RepackPlan& plan) {
  return std::ranges::any_of(plan.files, [](const PlannedFile& planned) {
    std::string_view name = planned.file.name;
    std::size_t slash = name.rfind('/');
    return IsModuleFile(slash == std::string_view::npos ? name : name.substr(slash + 1));
  });
}

}  // namespace

Result<RepackPlan> PlanForeignModule(std::span<const ArchiveEntry> entries, std::string_view folder,
                                     const ArchiveLimits& limits) {
  RETURN_IF_ERROR(CheckNames(entries));
  Tree tree(entries);
  ASSIGN_OR_RETURN(std::string place, LocateFolder(tree, folder));
  Planner planner(tree, limits);
  RETURN_IF_ERROR(planner.AddFolder(place, "", 0));
  RepackPlan plan = planner.Take();
  if (HasConfiguration(plan)) return plan;
  return RefuseArchive("holds no .tf, .tofu, .tf.json or .tofu.json file where its module is");
}

}  // namespace koya
