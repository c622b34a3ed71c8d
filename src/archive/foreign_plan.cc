// PlanForeignModule: selects the files of a third-party archive that are the module, links
// followed.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"
#include "archive/module_layout.h"
#include "archive/repack_plan.h"

namespace koya {
namespace {

constexpr int kMostHops = 40;       // of one path through links, as Linux has it
constexpr int kDeepestFolders = 8;  // links to folders within copies of folders
constexpr std::size_t kMostNotes = 20;

// What planning costs at most, for each entry that an archive may have: an ordinary link is a dozen
// steps.
constexpr std::uint64_t kStepsAnEntry = 16;

// Links multiply: nine folders of forty links each, every one to the next folder, are forty to the
// eighth ways through an archive of 2.5 KB. So each step along a path, each link and each file
// counts, whatever becomes of it, and there is a time at which to stop.
class Effort {
 public:
  explicit Effort(const ArchiveLimits& limits)
      : budget_(limits, 0), most_(limits.entries * kStepsAnEntry) {}

  // Fails: kRefused when too many steps were taken, kTimeout.
  Status Step() {
    constexpr std::uint64_t kLookAtClock = 64;
    if (++steps_ > most_) {
      return RefuseArchive(
          "has links that lead to each other in too many ways to replace them by copies",
          kEntriesLimit);
    }
    return steps_ % kLookAtClock == 0 ? budget_.CheckTime() : Status();
  }
  // Charges the name of a file in the repack.
  Status AddName(std::size_t bytes) { return budget_.AddName(bytes); }
  std::uint64_t steps() const { return steps_; }

 private:
  ArchiveBudget budget_;
  std::uint64_t most_;
  std::uint64_t steps_ = 0;
};

std::string Join(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : fmt::format("{}/{}", folder, name);
}

std::string_view FolderOf(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash);
}

bool LiesIn(std::string_view path, std::string_view folder) {
  if (folder.empty() || path == folder) return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// The first segment of a path, which is taken from it; "" at the end, and between two slashes.
std::string_view TakeSegment(std::string_view& path) {
  std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(segment.size() + 1, path.size()));
  return segment;
}

// The entries as a file system of names. They outlive it: its names are theirs. A folder without an
// entry of its own is not held, but seen in the names below it: one name of 1,024 bytes can lead
// through 500 of them.
class Tree {
 public:
  using Files = std::map<std::string_view, std::size_t>;

  explicit Tree(std::span<const ArchiveEntry> entries) : entries_(entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      (entries[i].directory ? folders_ : files_).emplace(entries[i].name, i);
    }
  }

  const ArchiveEntry& entry(std::size_t index) const { return entries_[index]; }
  bool HasFolder(std::string_view path) const {
    if (path.empty()) return !entries_.empty();
    const std::string prefix = Join(path, "");
    return folders_.contains(path) || AnyIn(files_, prefix) || AnyIn(folders_, prefix);
  }

  // Which entry is the file or link of that name.
  std::optional<std::size_t> Find(std::string_view path) const {
    auto found = files_.find(path);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }

  // The target of `path` when every link on the way is followed; nothing when it leads out of the
  // archive or in circles. The entry there, if any, is not a link. Fails: as Effort::Step.
  Result<std::optional<std::string>> Follow(std::string_view path, Effort& effort) const {
    std::vector<std::string_view> left{path};  // parts still to walk, the next at the back
    std::string at;
    for (int hops = 0; !left.empty();) {
      if (left.back().empty()) {
        left.pop_back();
        continue;
      }
      RETURN_IF_ERROR(effort.Step());
      std::string_view segment = TakeSegment(left.back());
      if (segment == "." || segment.empty()) continue;
      if (segment == "..") {
        if (at.empty()) return std::nullopt;
        at.resize(FolderOf(at).size());
        continue;
      }
      std::string next = Join(at, segment);
      // Nothing lies there, and nothing is that long.
      if (next.size() > kMaxEntryName) return std::nullopt;
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
      left.push_back(link.target);
    }
    return at;
  }

  // From the first file or link in `folder`, at any depth, in order of name: those that begin with
  // its name and "/".
  Files::const_iterator FirstIn(std::string_view prefix) const {
    return files_.lower_bound(prefix);
  }
  Files::const_iterator end() const { return files_.end(); }

  // The archive's one top folder, not counting what macOS adds.
  std::optional<std::string> TopFolder() const {
    std::optional<std::string_view> top;
    for (const auto& [name, index] : files_) {
      if (IsMacNoise(name)) continue;
      std::size_t slash = name.find('/');
      if (slash == std::string_view::npos) return std::nullopt;
      std::string_view first = name.substr(0, slash);
      if (top && *top != first) return std::nullopt;
      top = first;
    }
    return top ? std::optional<std::string>(*top) : std::nullopt;
  }

 private:
  static bool AnyIn(const Files& names, std::string_view prefix) {
    auto first = names.lower_bound(prefix);
    return first != names.end() && first->first.starts_with(prefix);
  }

  std::span<const ArchiveEntry> entries_;
  Files files_;    // and links
  Files folders_;  // those with an entry of their own
};

class Planner {
 public:
  Planner(const Tree& tree, const ArchiveLimits& limits, Effort& effort)
      : tree_(tree), limits_(limits), effort_(effort) {}

  // Plans what lies in `folder` of the archive to stand in `as` of the module.
  Status AddFolder(const std::string& folder, const std::string& as, int depth) {
    const std::string prefix = folder.empty() ? "" : folder + "/";
    for (auto at = tree_.FirstIn(prefix); at != tree_.end() && at->first.starts_with(prefix);
         ++at) {
      RETURN_IF_ERROR(effort_.Step());
      const ArchiveEntry& entry = tree_.entry(at->second);
      std::string_view rest = std::string_view(entry.name).substr(prefix.size());
      if (folder.empty() && IsMacNoise(rest)) continue;
      std::string name = Join(as, rest);
      if (entry.link == LinkKind::kNone) {
        RETURN_IF_ERROR(AddFile(at->second, std::move(name)));
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
    plan_.steps = effort_.steps();
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
    if (name.size() > kMaxEntryName) {
      return RefuseEntry(name, "would have too long a name once links are replaced by copies");
    }
    RETURN_IF_ERROR(effort_.AddName(name.size()));
    file.name = std::move(name);
    plan_.files.push_back({std::move(file), index});
    return {};
  }

  Status AddLink(const ArchiveEntry& link, std::string name, int depth) {
    ASSIGN_OR_RETURN(std::optional<std::string> target, tree_.Follow(link.name, effort_));
    if (!target) return LeaveOut(link, "leads out of the archive, or round in circles");
    if (std::optional<std::size_t> file = tree_.Find(*target)) {
      return AddFile(*file, std::move(name));
    }
    if (!tree_.HasFolder(*target)) return LeaveOut(link, "leads nowhere");
    ASSIGN_OR_RETURN(std::optional<std::string> own_folder,
                     tree_.Follow(FolderOf(link.name), effort_));
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
  Effort& effort_;
  RepackPlan plan_;
  std::uint64_t bytes_ = 0;
};

Status CheckNames(std::span<const ArchiveEntry> entries) {
  std::vector<ArchiveEntry> named;
  std::ranges::copy_if(entries, std::back_inserter(named),
                       [](const ArchiveEntry& entry) { return !entry.name.empty(); });
  return RefuseNameConflicts(named, LetterCase::kAllow);
}

Result<std::string> LocateFolder(const Tree& tree, std::string_view folder, Effort& effort) {
  std::string place(folder);
  if (place == "*" || place.starts_with("*/")) {
    std::optional<std::string> top = tree.TopFolder();
    if (!top) return RefuseArchive("has no single top folder for its module");
    place = *top + place.substr(1);
  }
  ASSIGN_OR_RETURN(std::optional<std::string> real, tree.Follow(place, effort));
  if (real && tree.HasFolder(*real)) return *real;
  return RefuseArchive(fmt::format("has no folder \"{}\" for its module", Printable(place)));
}

bool HasConfiguration(const RepackPlan& plan) {
  return std::ranges::any_of(
      plan.files, [](const PlannedFile& planned) { return IsConfiguration(planned.file.name); });
}

}  // namespace

Result<RepackPlan> PlanForeignModule(std::span<const ArchiveEntry> entries, std::string_view folder,
                                     const ArchiveLimits& limits) {
  RETURN_IF_ERROR(CheckNames(entries));
  Tree tree(entries);
  Effort effort(limits);
  ASSIGN_OR_RETURN(std::string place, LocateFolder(tree, folder, effort));
  Planner planner(tree, limits, effort);
  RETURN_IF_ERROR(planner.AddFolder(place, "", 0));
  RepackPlan plan = planner.Take();
  if (HasConfiguration(plan)) return plan;
  return RefuseArchive(
      "has no .tf, .tofu, .tf.json or .tofu.json file in the folder of its module");
}

}  // namespace koya
