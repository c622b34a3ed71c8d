#include "cli/mirror/warming.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text.h"
#include "cli/mirror/mirror.h"
#include "cli/mirror/mirror_client.h"
#include "hcl/config_folder.h"
#include "hcl/lock_file.h"

namespace koya::cli {
namespace {

bool LooksLikeAHost(std::string_view part) {
  return part.find_first_of(".:") != part.npos || part == "localhost";
}

Result<std::vector<ProviderRequest>> ReadLockFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, hcl::ReadTextFile(path));
  Result<std::vector<hcl::LockedProvider>> locked = hcl::ParseLockFile(text);
  if (!locked) {
    return FailInvalid("{}: {}", path, locked.error().message);
  }
  std::vector<ProviderRequest> wishes;
  for (hcl::LockedProvider& each : *locked) {
    LockedRelease release{.version = std::move(each.version),
                          .hashes = std::move(each.hashes),
                          .place = fmt::format("{}:{}", path, each.line)};
    wishes.push_back({std::move(each.source), {}, std::move(release)});
  }
  return wishes;
}

// The lock file in a folder; nullopt: there is none.
std::optional<std::string> FindLockFile(const std::filesystem::path& folder) {
  for (std::string_view name : hcl::kLockFileNames) {
    std::error_code error;
    const std::filesystem::path file = folder / name;
    if (std::filesystem::exists(file, error)) return file.string();
  }
  return std::nullopt;
}

constexpr std::size_t kShownHashes = 4;
// How long a server may take to look into a package, and how often it is asked.
constexpr std::chrono::seconds kInspection{30};
constexpr std::chrono::milliseconds kBetweenLooks{200};

// A wish and the version that fulfils it.
struct ChosenReleases {
  const ProviderRequest* provider = nullptr;  // one of the two
  const ModuleRequest* module = nullptr;
  Version version;
};

// One package to be fetched, or one module.
struct Job {
  ChosenReleases chosen;
  std::optional<Platform> platform;
  wire::MirrorArchive archive;
};

std::string JoinedHashes(std::vector<std::string> hashes) {
  for (std::string& hash : hashes) hash = Printable(hash, 100);
  return hashes.empty() ? "none" : Listed(hashes, kShownHashes);
}

bool Agree(const std::vector<std::string>& served, const std::vector<std::string>& locked) {
  return locked.empty() || std::ranges::any_of(served, [&](const std::string& hash) {
           return std::ranges::count(locked, hash) > 0;
         });
}

std::vector<Platform> PlatformsOf(const wire::MirrorVersion& release) {
  std::vector<Platform> platforms;
  for (const auto& [name, unused] : release.archives) {
    if (Result<Platform> platform = Platform::Parse(name)) {
      platforms.push_back(*std::move(platform));
    }
  }
  return platforms;
}

class Warming {
 public:
  Warming(const WarmingRequest& wishes, const WarmingOptions& options)
      : wishes_(wishes), options_(options) {}

  std::vector<Warmed> Run() {
    ChooseVersions();
    ReadReleases();
    FetchAll();
    return std::move(out_);
  }

 private:
  // `work(client, index)` for every index below `count`, on as many threads as are allowed.
  template <class Work>
  void InParallel(std::size_t count, const Work& work) {
    std::vector<std::unique_ptr<MirrorClient>> clients(std::max<std::size_t>(options_.jobs, 1));
    RunJobs(count, options_.jobs, [&](std::size_t worker, std::size_t index) {
      std::unique_ptr<MirrorClient>& client = clients[worker];
      if (!client) client = std::make_unique<MirrorClient>(options_.connection);
      work(*client, index);
      return true;
    });
  }

  // Told at once, kept for the end.
  void Tell(Warmed warmed) {
    std::lock_guard lock(mutex_);
    ++done_;
    if (options_.on_done) options_.on_done(warmed, done_, std::max(done_, total_));
    out_.push_back(std::move(warmed));
  }

  Result<std::vector<Version>> Select(std::vector<Version> versions,
                                      const VersionConstraint& constraint) const {
    std::erase_if(versions, [&](const Version& each) { return !constraint.Allows(each); });
    if (versions.empty()) {
      return Fail(ErrorKind::kNotFound,
                  constraint.text().empty()
                      ? std::string("there are only prereleases")
                      : fmt::format("no version matches \"{}\"", constraint.text()));
    }
    std::ranges::sort(versions);
    if (!options_.all_versions) versions.erase(versions.begin(), versions.end() - 1);
    return versions;
  }

  Result<std::vector<Version>> VersionsOf(MirrorClient& client, const ProviderRequest& wish) const {
    if (wish.lock) return std::vector<Version>{wish.lock->version};
    ASSIGN_OR_RETURN(std::vector<Version> versions, client.ListVersions(wish.source));
    return Select(std::move(versions), wish.constraint);
  }
  Result<std::vector<Version>> VersionsOf(MirrorClient& client, const ModuleRequest& wish) const {
    ASSIGN_OR_RETURN(std::vector<Version> versions, client.ListVersions(wish.source));
    return Select(std::move(versions), wish.constraint);
  }

  void ChooseVersions();
  void ReadReleases();
  Result<std::vector<Job>> JobsOf(MirrorClient& client, const ChosenReleases& chosen);
  void FetchAll();
  Status Fetch(MirrorClient& client, const Job& job);
  Result<std::vector<std::string>> ServedHashes(MirrorClient& client, const Job& job);
  Status CompareWithLock(MirrorClient& client, const Job& job);

  const WarmingRequest& wishes_;
  const WarmingOptions& options_;
  std::vector<ChosenReleases> chosen_;
  std::vector<Job> jobs_;
  std::mutex mutex_;  // for the rest
  std::size_t done_ = 0;
  std::size_t total_ = 0;
  std::vector<Warmed> out_;
};

std::string AddressOf(const ChosenReleases& chosen) {
  return chosen.provider != nullptr ? chosen.provider->source.ToString()
                                    : chosen.module->source.ToString();
}

void Warming::ChooseVersions() {
  std::size_t providers = wishes_.providers.size();
  total_ = providers + wishes_.modules.size();
  std::vector<std::vector<ChosenReleases>> found(total_);
  InParallel(total_, [&](MirrorClient& client, std::size_t index) {
    const ProviderRequest* provider = index < providers ? &wishes_.providers[index] : nullptr;
    const ModuleRequest* module =
        provider == nullptr ? &wishes_.modules[index - providers] : nullptr;
    auto versions =
        provider != nullptr ? VersionsOf(client, *provider) : VersionsOf(client, *module);
    if (!versions) {
      std::string address =
          provider != nullptr ? provider->source.ToString() : module->source.ToString();
      Tell({std::move(address), {}, {}, std::move(versions).error()});
      return;
    }
    for (Version& version : *versions) {
      found[index].push_back({provider, module, std::move(version)});
    }
  });
  for (std::vector<ChosenReleases>& each : found) {
    std::ranges::move(each, std::back_inserter(chosen_));
  }
}

Result<std::vector<Job>> Warming::JobsOf(MirrorClient& client, const ChosenReleases& chosen) {
  if (chosen.module != nullptr) return std::vector<Job>{{chosen, {}, {}}};
  ASSIGN_OR_RETURN(wire::MirrorVersion release,
                   client.GetRelease(chosen.provider->source, chosen.version));
  std::vector<Job> jobs;
  std::vector<Platform> platforms = options_.platforms;
  if (platforms.empty()) platforms = PlatformsOf(release);
  for (const Platform& platform : platforms) {
    auto archive = release.archives.find(platform.ToString());
    if (archive != release.archives.end()) {
      jobs.push_back({chosen, platform, archive->second});
      continue;
    }
    std::string there;
    for (const auto& [name, unused] : release.archives) there += (there.empty() ? "" : ", ") + name;
    Tell({AddressOf(chosen), chosen.version.ToString(), platform.ToString(),
          Error{ErrorKind::kNotFound, fmt::format("it was released for {} only", there), {}}});
  }
  return jobs;
}

void Warming::ReadReleases() {
  std::vector<std::vector<Job>> found(chosen_.size());
  total_ = done_ + chosen_.size();
  InParallel(chosen_.size(), [&](MirrorClient& client, std::size_t index) {
    const ChosenReleases& chosen = chosen_[index];
    Result<std::vector<Job>> jobs = JobsOf(client, chosen);
    if (jobs) {
      found[index] = *std::move(jobs);
    } else {
      Tell({AddressOf(chosen), chosen.version.ToString(), {}, std::move(jobs).error()});
    }
  });
  for (std::vector<Job>& each : found) std::ranges::move(each, std::back_inserter(jobs_));
}

// What the server says once it has looked into the package, which it does after the last byte has
// been handed out.
Result<std::vector<std::string>> Warming::ServedHashes(MirrorClient& client, const Job& job) {
  auto deadline = std::chrono::steady_clock::now() + kInspection;
  while (true) {
    ASSIGN_OR_RETURN(wire::MirrorVersion release,
                     client.GetRelease(job.chosen.provider->source, job.chosen.version));
    std::vector<std::string> served = std::move(release.archives[job.platform->ToString()].hashes);
    bool inspected = std::ranges::any_of(
        served, [](const std::string& hash) { return hash.starts_with("h1:"); });
    if (inspected || std::chrono::steady_clock::now() > deadline) return served;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

// One of the hashes served must be one of those locked. A lock file that a network mirror's client
// wrote has one of the unpacked files only ("h1:").
Status Warming::CompareWithLock(MirrorClient& client, const Job& job) {
  const ProviderRequest& wish = *job.chosen.provider;
  if (!wish.lock || Agree(job.archive.hashes, wish.lock->hashes)) return {};
  ASSIGN_OR_RETURN(std::vector<std::string> served, ServedHashes(client, job));
  if (Agree(served, wish.lock->hashes)) return {};
  return FailRefused(
      "hash mismatch: the server serves {}, and the lock ({}) allows {}; one "
      "of the two has another release, or the lock is for other platforms "
      "(\"tofu providers lock -platform={}\")",
      JoinedHashes(served), wish.lock->place, JoinedHashes(wish.lock->hashes),
      job.platform->ToString());
}

Status Warming::Fetch(MirrorClient& client, const Job& job) {
  if (job.chosen.module != nullptr) {
    return client.FetchModule(job.chosen.module->source, job.chosen.version);
  }
  RETURN_IF_ERROR(client.FetchPackage(job.archive.url));
  return CompareWithLock(client, job);
}

void Warming::FetchAll() {
  total_ = done_ + jobs_.size();
  InParallel(jobs_.size(), [&](MirrorClient& client, std::size_t index) {
    const Job& job = jobs_[index];
    Warmed warmed{AddressOf(job.chosen),
                  job.chosen.version.ToString(),
                  job.platform ? job.platform->ToString() : "",
                  {}};
    Status fetched = Fetch(client, job);
    if (!fetched) warmed.failure = std::move(fetched).error();
    Tell(std::move(warmed));
  });
}

}  // namespace

Status WarmingRequest::AddAddress(std::string_view text, const HostName& default_host) {
  std::size_t at = text.find('@');
  std::string_view address = text.substr(0, at);
  std::string_view constraint = at == text.npos ? std::string_view() : text.substr(at + 1);
  auto parts = std::ranges::count(address, '/') + 1;
  bool host = LooksLikeAHost(address.substr(0, address.find('/')));
  if (parts == 4 || (parts == 3 && !host)) {
    std::optional<hcl::ModuleSource> source = hcl::ParseModuleSource(address, default_host);
    if (!source) {
      return FailInvalid(
          "\"{}\" is not a registry module address: use [HOST/]NAMESPACE/NAME/SYSTEM",
          Printable(address));
    }
    ASSIGN_OR_RETURN(VersionConstraint wanted,
                     VersionConstraint::Parse(constraint, ConstraintStyle::kModule));
    modules.push_back({*std::move(source), std::move(wanted)});
    return {};
  }
  if (parts != 2 && parts != 3) {
    return FailInvalid(
        "\"{}\" is not an address: use [HOST/]NAMESPACE/TYPE for a provider, "
        "[HOST/]NAMESPACE/NAME/SYSTEM for a module",
        Printable(address));
  }
  ASSIGN_OR_RETURN(std::optional<hcl::ProviderSource> source,
                   hcl::ParseProviderSource(address, default_host));
  if (!source) {
    return FailInvalid("{} is built into the clients", address);
  }
  ASSIGN_OR_RETURN(VersionConstraint wanted, VersionConstraint::Parse(constraint));
  providers.push_back({*std::move(source), std::move(wanted)});
  return {};
}

Status WarmingRequest::AddLockFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::vector<ProviderRequest> wishes, ReadLockFile(path));
  std::ranges::move(wishes, std::back_inserter(providers));
  return {};
}

Status WarmingRequest::AddConfiguration(const std::string& folder, const HostName& default_host) {
  ASSIGN_OR_RETURN(hcl::Requirements needs, hcl::ReadConfiguration(folder, default_host));
  std::ranges::move(needs.problems, std::back_inserter(problems));
  std::ranges::move(needs.notes, std::back_inserter(notes));
  std::vector<ProviderRequest> locked;
  const std::optional<std::string> lock = FindLockFile(folder);
  if (lock) {
    ASSIGN_OR_RETURN(locked, ReadLockFile(*lock));
  }
  for (hcl::ProviderNeed& need : needs.providers) {
    auto same = [&](const ProviderRequest& wish) {
      return wish.source.ToString() == need.source.ToString();
    };
    if (std::ranges::any_of(locked, same)) continue;
    providers.push_back({std::move(need.source), std::move(need.constraint)});
  }
  std::ranges::move(locked, std::back_inserter(providers));
  if (!lock && !needs.modules.empty()) {
    notes.push_back(
        fmt::format("{} has no {} or {}: the requirements of its registry modules are unknown; "
                    "\"tofu init\" writes it",
                    folder, hcl::kLockFileNames.front(), hcl::kLockFileNames.back()));
  }
  for (hcl::ModuleNeed& need : needs.modules) {
    modules.push_back({std::move(need.source), std::move(need.constraint)});
  }
  return {};
}

std::string Warmed::Name() const {
  std::string name = address;
  if (!version.empty()) name += " " + version;
  if (!platform.empty()) name += " " + platform;
  return name;
}

std::vector<Warmed> WarmMirror(const WarmingRequest& wishes, const WarmingOptions& options) {
  std::vector<Warmed> out = Warming(wishes, options).Run();
  std::ranges::sort(out, {}, &Warmed::Name);
  return out;
}

}  // namespace koya::cli
