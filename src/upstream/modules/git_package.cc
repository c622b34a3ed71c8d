#include "upstream/modules/git_package.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "base/trace.h"
#include "base/work_folder.h"
#include "upstream/child_program.h"
#include "upstream/module_source.h"

namespace koya::upstream {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr std::size_t kMaxErrors = 4096;
constexpr std::size_t kMaxTree = 64 << 20;
constexpr std::size_t kMaxFiles = 200'000;  // and folders, in the repository
constexpr std::size_t kMaxNamedSubmodules = 5;
constexpr unsigned kRetryAfterBusy = 10;  // seconds
// A first line in the highest place of all: for every file, everything that git would change.
constexpr std::string_view kAttributes =
    "* -export-ignore -export-subst -text -ident -filter -diff !eol !crlf !working-tree-encoding\n";

constexpr std::string_view kConfiguration[] = {
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.fsmonitor=false",
    "core.bigFileThreshold=16m",  // larger files are not held in memory
    "core.packedGitLimit=64m",
    "core.packedGitWindowSize=8m",
    "credential.helper=",
    "fetch.recurseSubmodules=false",
    "fetch.unpackLimit=1",  // one pack, so that one bound holds
    "fetch.uriProtocols=",
    "gc.auto=0",
    "maintenance.auto=false",
    "pack.threads=1",
    "protocol.version=2",
    "submodule.recurse=false",
    "tar.umask=0022",
};

// One fetch: a repository in scratch that goes with it.
class GitRun {
 public:
  GitRun(const GitPrograms& programs, const GitTransfer& transfer, const Fetcher& fetcher)
      : programs_(programs),
        transfer_(transfer),
        clock_(fetcher.clock()),
        memory_(fetcher.options().git_memory) {}
  Status Begin();
  Status Fetch(const GitRemote& remote);
  Result<Words> Submodules();
  Status Archive();

 private:
  Result<std::string> Git(const Words& arguments, int output = -1);
  Error Explained(Error error) const;
  struct Room {
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;
    std::size_t files = 0;
  };
  Room Measure() const;
  bool AnyFileIsFull() const;
  Status CheckRoom() const;

  const GitPrograms& programs_;
  const GitTransfer& transfer_;
  ExchangeClock& clock_;
  const std::uint64_t memory_;
  std::optional<WorkFolder> work_;
  fs::path folder_;
  GitRemote remote_;
};

std::string Variable(const char* name, std::string_view otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string(otherwise) : std::string(value);
}

Result<std::string> GitRun::Git(const Words& arguments, int output) {
  ChildProgram child{.command = {programs_.git, "--git-dir=" + folder_.string()},
                     .max_output = kMaxTree,
                     .folder = folder_.string(),
                     .output = output,
                     .limits = {.file_bytes = transfer_.max_bytes, .memory_bytes = memory_},
                     .max_errors = kMaxErrors};
  for (std::string_view each : kConfiguration) {
    child.command.insert(child.command.end(), {"-c", std::string(each)});
  }
  for (const std::string& each : remote_.configuration) {
    child.command.insert(child.command.end(), {"-c", each});
  }
  child.command.insert(child.command.end(), arguments.begin(), arguments.end());
  child.environment = Words{"PATH=" + Variable("PATH", "/usr/local/bin:/usr/bin:/bin"),
                            "HOME=" + folder_.string(),  // no netrc
                            "LC_ALL=C",
                            "GIT_CONFIG_NOSYSTEM=1",
                            "GIT_CONFIG_GLOBAL=/dev/null",
                            "GIT_ATTR_NOSYSTEM=1",
                            "GIT_NO_REPLACE_OBJECTS=1",
                            "GIT_TERMINAL_PROMPT=0",
                            "GIT_ASKPASS=/bin/false",
                            "GIT_ALLOW_PROTOCOL=" + remote_.protocol};
  child.environment->insert(child.environment->end(), remote_.environment.begin(),
                            remote_.environment.end());
  child.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
      transfer_.patience.deadline - clock_.Now());
  // One thread computes, but git and its own programs may do so at once.
  child.limits.cpu = std::chrono::ceil<std::chrono::seconds>(child.timeout);
  child.check = [this] { return CheckRoom(); };
  child.stop = transfer_.patience.stop;
  if (child.timeout.count() <= 0) {
    return Failure(Explained({ErrorKind::kTimeout, "there was no time left", {}}));
  }
  auto said = RunChild(child);
  Status room = said ? CheckRoom() : Status();  // what came since it was last asked
  if (!room) said = Failure(std::move(room).error());
  if (said) return said;
  if (child.stop.stop_requested()) return GivenUp();
  return Failure(Explained(std::move(said).error()));
}

GitRun::Room GitRun::Measure() const {
  Room room;
  std::error_code error;
  for (fs::recursive_directory_iterator each(folder_, error), end; !error && each != end;
       each.increment(error)) {
    std::error_code gone;  // files of git's come and go
    std::uint64_t size = each->is_regular_file(gone) ? each->file_size(gone) : 0;
    if (gone) continue;
    ++room.files;
    room.bytes += size;
    room.largest = std::max(room.largest, size);
  }
  return room;
}

bool GitRun::AnyFileIsFull() const {
  struct stat archive{};
  bool taken = ::fstat(transfer_.file, &archive) == 0 &&
               static_cast<std::uint64_t>(archive.st_size) >= transfer_.max_bytes;
  return taken || Measure().largest >= transfer_.max_bytes;
}

// One file is bounded by the kernel, many are not.
Status GitRun::CheckRoom() const {
  Room room = Measure();
  if (room.bytes <= 2 * transfer_.max_bytes && room.files <= kMaxFiles) return {};
  return Fail(ErrorKind::kTooLarge, "");  // for Explained
}

// What git's failures are to those who wait for a module.
Error GitRun::Explained(Error error) const {
  if (!error.limit.empty()) return error;  // it says what to do
  const std::string place = PlaceOf(transfer_.location.url);
  auto said = [&](std::string_view words) { return error.detail.find(words) != std::string::npos; };
  auto explain = [&](ErrorKind kind, std::string words, LimitName limit = {}) {
    error.kind = kind;
    error.limit = limit;
    error.message = std::move(words);
    error.detail = Printable(error.detail, kMaxErrors);
    return error;
  };
  const char* fix = error.kind == ErrorKind::kNotFound ? "install git on the server" : "try again";
  switch (error.kind) {
    case ErrorKind::kNotFound:
    case ErrorKind::kUnavailable:
      return explain(ErrorKind::kUnavailable,
                     fmt::format("the git repository {} cannot be fetched: {}; {}", place,
                                 error.message, fix));
    case ErrorKind::kTimeout:
      return explain(ErrorKind::kUpstreamTimeout,
                     fmt::format("the git repository {} was not fetched in time", place),
                     kModuleTimeLimit);
    case ErrorKind::kTooLarge:
    case ErrorKind::kRefused:
      break;
    default:
      return error;
  }
  if (error.kind == ErrorKind::kTooLarge || AnyFileIsFull()) {
    return explain(ErrorKind::kTooLarge,
                   fmt::format("the git repository {} is too large: the limit is {} bytes", place,
                               transfer_.max_bytes),
                   kModuleBytesLimit);
  }
  if (said("ut of memory") || said("Cannot allocate memory")) {
    return explain(
        ErrorKind::kTooLarge,
        fmt::format("the git repository {} takes more memory to unpack than the {} bytes "
                    "of limits.git_memory",
                    place, memory_),
        "limits.git_memory");
  }
  if (said("couldn't find remote ref") || said("not our ref") || said("no such remote ref")) {
    return explain(ErrorKind::kNotFound,
                   fmt::format("the git repository {} has no branch, tag or commit \"{}\" (commits "
                               "are found by their whole id only)",
                               place, transfer_.location.ref));
  }
  if (said("Host key verification failed")) {
    return explain(ErrorKind::kBadUpstream,
                   fmt::format("{} shows a host key that the server's user does not know: add it "
                               "to its known_hosts",
                               transfer_.location.url.Authority()));
  }
  return explain(ErrorKind::kBadUpstream,
                 fmt::format("the git repository {} cannot be fetched: {} (the log says more)",
                             place, error.message));
}

Status GitRun::Begin() {
  ASSIGN_OR_RETURN(WorkFolder work, WorkFolder::Create(transfer_.scratch, "git"));
  folder_ = work_.emplace(std::move(work)).path();
  // An empty template: no hooks, no description, no exclude patterns.
  RETURN_IF_ERROR(Git({"init", "--quiet", "--bare", "--template="}));
  std::error_code error;
  fs::create_directory(folder_ / "info", error);
  std::ofstream attributes(folder_ / "info" / "attributes");
  if (!attributes.write(kAttributes.data(), kAttributes.size()).flush()) {
    return Failure(ErrnoError("write info/attributes", errno));
  }
  return {};
}

Status GitRun::Fetch(const GitRemote& remote) {
  remote_ = remote;
  const std::string& ref = transfer_.location.ref;
  Words arguments{"fetch",
                  "--quiet",
                  "--no-progress",
                  "--no-tags",
                  "--no-recurse-submodules",
                  "--no-auto-maintenance"};
  if (!remote.plain_files) arguments.emplace_back("--depth=1");
  arguments.insert(arguments.end(), {"--", remote.url, ref.empty() ? std::string("HEAD") : ref});
  RETURN_IF_ERROR(Git(arguments));
  return {};
}

// The paths of what the tree holds of other repositories.
Result<Words> GitRun::Submodules() {
  ASSIGN_OR_RETURN(std::string listing,
                   Git({"ls-tree", "-r", "-z", "--format=%(objectmode) %(path)", "FETCH_HEAD"}));
  Words paths;
  for (std::string_view rest = listing; !rest.empty();) {
    std::string_view entry = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    if (entry.starts_with("160000 ")) paths.push_back(Printable(entry.substr(7), 100));
  }
  return paths;
}

Status GitRun::Archive() {
  RETURN_IF_ERROR(Git({"archive", "--format=tar.gz", "FETCH_HEAD"}, transfer_.file));
  return {};
}

Words Warnings(const Words& submodules, const GitLocation& location) {
  if (submodules.empty()) return {};
  std::size_t named = std::min(submodules.size(), kMaxNamedSubmodules);
  Words first(submodules.begin(), submodules.begin() + static_cast<std::ptrdiff_t>(named));
  return {fmt::format("the git repository {} has submodules, which are not fetched: {}{}",
                      PlaceOf(location.url), fmt::join(first, ", "),
                      named < submodules.size() ? ", …" : "")};
}

}  // namespace

Status GitPackages::TakeSlot(const Deadline& patience) {
  auto left = patience.deadline - fetcher_.clock().Now();
  std::unique_lock lock(mutex_);
  bool free = slot_free_.wait_for(lock, patience.stop, left, [this] { return free_slots_ > 0; });
  if (patience.stop.stop_requested()) return GivenUp();
  if (!free) {
    Failure busy = FailLimit(
        ErrorKind::kUnavailable, "fixed.git_at_once",
        fmt::format(
            "{} git repositories are being fetched, and none finished in time; try again later",
            kMostAtOnce));
    busy.error().retry_after = kRetryAfterBusy;
    return busy;
  }
  --free_slots_;
  return {};
}

Result<GitPackage> GitPackages::Fetch(const GitTransfer& transfer) {
  ASSIGN_OR_RETURN(GitRemote remote, ResolveGitRemote(fetcher_, transfer.location, programs_.ssh,
                                                      fetcher_.ForDocuments(transfer.patience)));
  RETURN_IF_ERROR(TakeSlot(transfer.patience));
  ScopeGuard give_back([this] {
    std::lock_guard lock(mutex_);
    ++free_slots_;
    slot_free_.notify_one();
  });
  const SpanScope span(CurrentTrace(), "upstream git");
  GitRun run(programs_, transfer, fetcher_);
  RETURN_IF_ERROR(run.Begin());
  RETURN_IF_ERROR(run.Fetch(remote));
  GitPackage package;
  ASSIGN_OR_RETURN(Words submodules, run.Submodules());
  package.warnings = Warnings(submodules, transfer.location);
  RETURN_IF_ERROR(run.Archive());
  struct stat archive{};
  if (::fstat(transfer.file, &archive) != 0) return Failure(ErrnoError("fstat", errno));
  package.size = static_cast<std::uint64_t>(archive.st_size);
  return package;
}

}  // namespace koya::upstream
