#include "cli/module_folders.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "archive/module_layout.h"
#include "archive/terraform_ignore.h"
#include "base/text.h"
#include "base/work_folder.h"
#include "hcl/config_folder.h"
#include "inspect/reader.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRepositoryFiles = 1'000'000;

std::string ShownFolder(std::string_view folder) {
  return folder.empty() ? "." : Printable(folder, 400);
}

bool IsInside(std::string_view path, std::string_view folder) {
  return folder.empty() || path == folder ||
         (path.starts_with(folder) && path[folder.size()] == '/');
}

std::string PathBelow(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && !name.empty()) path += '/';
  return path.append(name);
}

bool HasConfiguration(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end;
       each.increment(failed)) {
    std::error_code unknown;
    if (IsModuleFile(each->path().filename().string()) && each->is_regular_file(unknown)) {
      return true;
    }
  }
  return false;
}

// The calls of one folder alone, as the server will read them.
Result<std::vector<inspect::ModuleCall>> CallsOf(const fs::path& folder) {
  inspect::FileCollector files;
  std::error_code failed;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end;
       each.increment(failed)) {
    const std::string name = each->path().filename().string();
    if (!IsModuleFile(name)) continue;
    ASSIGN_OR_RETURN(std::string text, hcl::ReadTextFile(each->path()));
    const std::size_t size = text.size();
    text.resize(std::min(size, files.Wanted(name)));
    files.Add(name, size, std::move(text));
  }
  ASSIGN_OR_RETURN(HostName host, HostName::Parse("registry.opentofu.org"));  // of no importance
  return inspect::ReadModule(files.Take(), {.default_host = std::move(host)}).root.calls;
}

// Where a local call of `folder` leads to, from the top. A folder that is missing within the module
// `own` is for the server to report.
Result<std::string> TargetOf(const fs::path& top, const std::string& own, const std::string& folder,
                             const inspect::ModuleCall& call) {
  const std::string source = call.source.substr(0, call.source.find("//"));
  std::string target = (fs::path(folder) / source).lexically_normal().generic_string();
  if (target.ends_with('/')) target.pop_back();
  if (target == ".") target.clear();
  std::error_code unknown;
  const bool leaves = IsInside(target, "..");
  if (!leaves && (IsInside(target, own) || fs::is_directory(top / target, unknown))) return target;
  return FailInvalid(
      "{}:{} calls {}, which is no folder of this repository: make the module self-contained",
      Printable(PathBelow(folder, call.place.file), 400), call.place.line,
      Printable(call.source, 200));
}

void DropInner(std::set<std::string>& folders) {
  std::erase_if(folders, [&](const std::string& each) {
    return std::ranges::any_of(
        folders, [&](const std::string& other) { return other != each && IsInside(each, other); });
  });
}

// The innermost folder that all are in.
std::string CommonFolder(const std::vector<std::string>& folders) {
  std::string common = folders.front();
  for (const std::string& each : folders) {
    while (!IsInside(each, common)) {
      const std::size_t slash = common.rfind('/');
      common.resize(slash == common.npos ? 0 : slash);
    }
  }
  return common;
}

// Copies a folder as it will be packed, without what its own .terraformignore leaves out.
class FolderCopy {
 public:
  static Status Run(const fs::path& from, const fs::path& to) {
    std::error_code none;
    const fs::path ignore = from / ".terraformignore";
    Result<std::string> text =
        fs::exists(ignore, none) ? hcl::ReadTextFile(ignore) : Result<std::string>("");
    if (!text) return Failure(std::move(text).error());
    return FolderCopy(from, to, IgnoreRules::Parse(*text)).CopyAll("", false);
  }

 private:
  FolderCopy(fs::path from, fs::path to, IgnoreRules rules)
      : from_(std::move(from)), to_(std::move(to)), rules_(std::move(rules)) {}

  Status CopyAll(const std::string& folder, bool excluded) {
    std::error_code failed;
    for (fs::directory_iterator each(from_ / folder, failed), end; !failed && each != end;
         each.increment(failed)) {
      RETURN_IF_ERROR(CopyOne(*each, folder, excluded));
    }
    if (!failed) return {};
    return FailInvalid("cannot read {}: {}", (from_ / folder).string(), failed.message());
  }

  Status CopyOne(const fs::directory_entry& entry, const std::string& folder, bool excluded) {
    const std::string name = entry.path().filename().string();
    if (name == ".git" || name == ".terraform") return {};
    const std::string path = PathBelow(folder, name);
    std::error_code failed;
    const fs::file_status status = entry.symlink_status(failed);
    const bool is_folder = fs::is_directory(status);
    const bool left_out = rules_.Excludes(path, is_folder, excluded);
    if (is_folder) {
      return left_out && !rules_.has_negations() ? Status() : CopyAll(path, left_out);
    }
    if (left_out) return {};
    fs::create_directories((to_ / path).parent_path(), failed);
    if (!failed && fs::is_symlink(status)) {
      fs::copy_symlink(entry.path(), to_ / path, failed);
    } else if (!failed && fs::is_regular_file(status)) {
      fs::copy_file(entry.path(), to_ / path, failed);
    } else if (!failed) {
      return FailInvalid("{} is not a regular file", entry.path().string());
    }
    if (!failed) return {};
    return FailInvalid("cannot copy {} to {}: {}", entry.path().string(), to_.string(),
                       failed.message());
  }

  const fs::path from_;
  const fs::path to_;
  const IgnoreRules rules_;
};

std::string Relative(std::string_view path, std::string_view folder) {
  if (!folder.empty()) path.remove_prefix(std::min(path.size(), folder.size() + 1));
  return std::string(path);
}

}  // namespace

Result<Repository> ListModuleFolders(const fs::path& top) {
  std::error_code failed;
  if (!fs::is_directory(top, failed)) {
    return FailInvalid("{} is not a folder: use the top folder of a repository", top.string());
  }
  Repository repository{.name = top.filename().string(), .folders = {}};
  std::set<std::string> folders;
  std::size_t entries = 0;
  for (fs::recursive_directory_iterator each(top, failed), end; !failed && each != end;
       each.increment(failed)) {
    if (++entries > kMostRepositoryFiles) {
      return FailInvalid("{} has more than {} files: use the top folder of a repository",
                         top.string(), kMostRepositoryFiles);
    }
    std::error_code unknown;
    const std::string name = each->path().filename().string();
    const bool is_folder = each->is_directory(unknown);
    if (is_folder && (name.starts_with('.') || name == "node_modules")) {
      each.disable_recursion_pending();
    } else if (!is_folder && IsModuleFile(name) && each->is_regular_file(unknown)) {
      std::string folder = each->path().parent_path().lexically_relative(top).generic_string();
      folders.insert(folder == "." ? "" : std::move(folder));
    }
  }
  if (failed) return FailInvalid("cannot read {}: {}", top.string(), failed.message());
  repository.folders.assign(folders.begin(), folders.end());
  return repository;
}

Result<std::vector<std::string>> FoldersOfPackage(const fs::path& top,
                                                  const RepositoryModule& module) {
  std::set<std::string> seen{module.folder};
  std::deque<std::string> waiting{module.folder};
  for (const std::string& each : module.with) {
    std::error_code unknown;
    if (!fs::is_directory(top / each, unknown)) {
      return FailInvalid("the rule of {} goes along with \"{}\", which is no folder",
                         ShownFolder(module.folder), Printable(each, 400));
    }
    if (seen.insert(each).second) waiting.push_back(each);
  }
  while (!waiting.empty()) {
    const std::string folder = std::move(waiting.front());
    waiting.pop_front();
    ASSIGN_OR_RETURN(const std::vector<inspect::ModuleCall> calls, CallsOf(top / folder));
    for (const inspect::ModuleCall& call : calls) {
      if (call.kind != "local") continue;
      Result<std::string> target = TargetOf(top, module.folder, folder, call);
      if (!target) return Failure(std::move(target).error());
      if (seen.insert(*target).second) waiting.push_back(*std::move(target));
    }
  }
  DropInner(seen);
  return std::vector<std::string>(seen.begin(), seen.end());
}

Result<FolderPackageFile> PackModule(const fs::path& top, const RepositoryModule& module,
                                     const std::vector<std::string>& folders,
                                     const fs::path& temporary_folder) {
  const std::string common = CommonFolder(folders);
  std::string inner = Relative(module.folder, common);
  const bool one = folders.front() == common;
  if (one && (inner.empty() || HasConfiguration(top / common))) {
    ASSIGN_OR_RETURN(Package package, OpenPackage(top / common, temporary_folder));
    return FolderPackageFile{std::move(package), std::move(inner)};
  }
  ASSIGN_OR_RETURN(const WorkFolder work, WorkFolder::Create(temporary_folder, "koya-publish"));
  const bool is_below = inner.starts_with("modules/");
  const std::string_view below = is_below ? "" : "modules";
  for (const std::string& each : folders) {
    const std::string place = PathBelow(below, Relative(each, common));
    RETURN_IF_ERROR(FolderCopy::Run(top / each, work.path() / place));
  }
  ASSIGN_OR_RETURN(Package package, OpenPackage(work.path(), temporary_folder));
  return FolderPackageFile{std::move(package), PathBelow(below, inner)};
}

}  // namespace koya::cli
