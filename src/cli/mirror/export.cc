// koya mirror export DIR

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "archive/provider_package.h"
#include "base/text.h"
#include "cli/api/local_file.h"
#include "cli/api/place.h"
#include "cli/mirror/mirror.h"
#include "cli/mirror/mirror_folder.h"
#include "cli/text/upload_progress.h"
#include "domain/archive_kind.h"
#include "domain/release_file.h"
#include "wire/command_results.h"
#include "wire/mirror.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMirrorExportFooter =
    R"(DIR becomes a static mirror, as "providers mirror" writes one: a web server or a filesystem_mirror
can serve it unchanged. It also has the authors' signed SHA256SUMS and keys, and modules in
_modules/ (clients ignore it: no host can have this name), so that "koya mirror import" restores all
of this mirror, /origin/ included.
The same inventory produces the same bytes. Correct files are not written again, so you can simply
repeat an interrupted run; several exports can share a folder. Nothing is ever removed, and a folder
with other files is rejected.
Cached packages are exported; with --all-platforms the rest of each release is fetched first.

Examples:
  koya mirror export /media/usb/mirror
  koya mirror export /srv/mirror --provider 'hashicorp/*' --platform linux_amd64 --version '5.*')";

struct ExportArguments {
  std::string folder;
  bool all_platforms = false;
  std::size_t jobs = 4;
  MirrorFilter filter;
  PlaceFlags place;
};

// A package to be exported.
struct PackageTask {
  MirroredRelease release;
  Platform platform;
  wire::InventoryPackage package;
  ExpectedFile file;
};

struct ModuleTask {
  MirroredModule module;
  wire::InventoryModule inventory;
  ExpectedFile file;
};

// Artifacts to export, and their files.
struct Plan {
  std::vector<PackageTask> packages;
  std::vector<MirroredRelease> documents;  // releases whose author's documents are kept
  std::vector<ModuleTask> modules;
};

fs::path ProviderFolder(const fs::path& folder, const MirroredRelease& release) {
  return folder / release.host.display() / release.address.ns() / release.address.type();
}

Status PlanRelease(const fs::path& folder, const ExportArguments& arguments,
                   const wire::InventoryRelease& inventory, Plan& plan) {
  ASSIGN_OR_RETURN(MirroredRelease release, ParseInventory(inventory));
  bool any = false;
  for (const wire::InventoryPackage& package : inventory.packages) {
    if (!arguments.filter.WantsPlatform(package.platform)) continue;
    if (!package.held && !arguments.all_platforms) continue;
    ASSIGN_OR_RETURN(Platform platform, Platform::Parse(package.platform));
    fs::path path = ProviderFolder(folder, release) /
                    PackageFileName(release.address, release.version, platform);
    plan.packages.push_back(
        {release,
         std::move(platform),
         package,
         {.path = std::move(path), .digest = package.digest, .size = package.size}});
    any = true;
  }
  if (any && inventory.has_signature) plan.documents.push_back(std::move(release));
  return {};
}

Status PlanModule(const fs::path& folder, const wire::InventoryModule& inventory, Plan& plan) {
  if (!inventory.held) return {};
  ASSIGN_OR_RETURN(MirroredModule module, ParseInventory(inventory));
  std::optional<ArchiveKind> kind = ParseArchiveKind(inventory.kind);
  if (!kind) return FailInvalid("the server names an unknown kind of archive");
  const ModuleAddress& address = module.address;
  fs::path path = folder / kModulesFolder / module.host.display() / address.ns() / address.name() /
                  address.system() / (module.version.ToString() + std::string(Suffix(*kind)));
  plan.modules.push_back(
      {std::move(module),
       inventory,
       {.path = std::move(path), .digest = inventory.digest, .size = inventory.size}});
  return {};
}

Result<Plan> MakePlan(const fs::path& folder, const ExportArguments& arguments,
                      InventoryClient& client) {
  Plan plan;
  ASSIGN_OR_RETURN(std::vector<wire::InventoryRelease> releases, client.ListReleases());
  for (const wire::InventoryRelease& release : releases) {
    if (!arguments.filter.Wants(release)) continue;
    RETURN_IF_ERROR(PlanRelease(folder, arguments, release, plan));
  }
  ASSIGN_OR_RETURN(std::vector<wire::InventoryModule> modules, client.ListModules());
  for (const wire::InventoryModule& module : modules) {
    if (!arguments.filter.Wants(module)) continue;
    RETURN_IF_ERROR(PlanModule(folder, module, plan));
  }
  return plan;
}

// h1 hashes of a package that the server had not held when it was asked.
Result<std::vector<std::string>> ComputeH1(const PackageTask& task) {
  ASSIGN_OR_RETURN(UniqueFd file, OpenForReading(task.file.path));
  std::error_code failed;
  std::uint64_t size = fs::file_size(task.file.path, failed);
  ArchiveLimits limits{.unpacked_bytes = 64ULL << 30, .ratio = 10'000, .entries = 1'000'000};
  ASSIGN_OR_RETURN(ProviderPackageInspection inspection,
                   InspectProviderPackage(file.get(), size, task.release.address.type(), limits));
  return std::move(inspection.h1);
}

class Exporter {
 public:
  Exporter(const Place& place, const ExportFolder& folder, const Plan& plan, std::size_t jobs,
           Output& output)
      : place_(place),
        folder_(folder),
        plan_(plan),
        jobs_(jobs),
        progress_(output.shell().err, TotalBytes(plan), output.shell().err_is_terminal) {}

  // Archives first, then the documents that name them: a concurrent reader finds every named file.
  void Run() {
    RunAll(plan_.packages, [this](InventoryClient& client, std::size_t worker,
                                  const PackageTask& task) { return Bring(client, worker, task); });
    RunAll(plan_.modules, [this](InventoryClient& client, std::size_t worker,
                                 const ModuleTask& task) { return Bring(client, worker, task); });
    RunAll(plan_.documents,
           [this](InventoryClient& client, std::size_t, const MirroredRelease& release) {
             return FetchDocuments(client, release);
           });
    WriteVersions();
  }

  const std::vector<std::string>& problems() const { return problems_; }
  std::size_t written() const { return written_; }
  std::size_t unchanged() const { return unchanged_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  static std::uint64_t TotalBytes(const Plan& plan) {
    std::uint64_t total = 0;
    for (const PackageTask& each : plan.packages) total += each.file.size;
    for (const ModuleTask& each : plan.modules) total += each.file.size;
    return total;
  }
  static std::string NameOf(const PackageTask& task) {
    return task.release.ToString() + " " + task.platform.ToString();
  }
  static std::string NameOf(const ModuleTask& task) { return task.module.ToString(); }
  static std::string NameOf(const MirroredRelease& release) {
    return release.ToString() + " SHA256SUMS";
  }

  template <class Item, class Work>
  void RunAll(const std::vector<Item>& items, const Work& work) {
    std::vector<std::unique_ptr<InventoryClient>> clients(std::max<std::size_t>(jobs_, 1));
    RunJobs(items.size(), jobs_, [&](std::size_t worker, std::size_t index) {
      if (!clients[worker])
        clients[worker] = std::make_unique<InventoryClient>(place_.connection());
      Status done = work(*clients[worker], worker, items[index]);
      if (done) return true;
      Problem(NameOf(items[index]), done.error());
      // No room for one is no room for the next.
      return done.error().kind != ErrorKind::kStorageFull;
    });
  }

  void Problem(const std::string& name, const Error& error) {
    std::lock_guard lock(mutex_);
    problems_.push_back(name + ": " + error.message);
  }

  void Count(bool written, std::uint64_t size) {
    std::lock_guard lock(mutex_);
    ++(written ? written_ : unchanged_);
    if (written) bytes_ += size;
  }

  // `download` gives a sink the bytes.
  Status FetchFile(std::size_t worker, const std::string& name, const ExpectedFile& file,
                   const std::function<Status(ByteSink)>& download) {
    progress_.Begin(worker, name);
    ASSIGN_OR_RETURN(bool there, folder_.Has(file));
    if (!there) {
      std::uint64_t got = 0;
      RETURN_IF_ERROR(folder_.Write(file, [&](const ByteSink& sink) {
        return download([&](std::span<const std::byte> bytes) {
          got += bytes.size();
          progress_.Show(worker, got);
          return sink(bytes);
        });
      }));
    }
    progress_.Finish(worker, file.size);
    Count(!there, file.size);
    return {};
  }

  Status Bring(InventoryClient& client, std::size_t worker, const PackageTask& task) {
    RETURN_IF_ERROR(FetchFile(worker, NameOf(task), task.file, [&](ByteSink sink) {
      return client.DownloadPackage(task.release, task.package.filename, std::move(sink));
    }));
    std::vector<std::string> hashes = task.package.hashes;
    if (!task.package.held || hashes.empty()) {
      ASSIGN_OR_RETURN(hashes, ComputeH1(task));
    }
    hashes.push_back("zh:" + task.package.digest.substr(task.package.digest.find(':') + 1));
    std::lock_guard lock(mutex_);
    wire::MirrorArchive& archive =
        versions_[ProviderFolder(folder_.path(), task.release)][task.release.version.ToString()]
            .archives[task.platform.ToString()];
    archive = {.url = task.file.path.filename().string(), .hashes = std::move(hashes)};
    return {};
  }

  Status Bring(InventoryClient& client, std::size_t worker, const ModuleTask& task) {
    RETURN_IF_ERROR(FetchFile(worker, NameOf(task), task.file, [&](ByteSink sink) {
      return client.DownloadModule(task.module, std::move(sink));
    }));
    fs::path path = task.file.path.parent_path() / (task.module.version.ToString() + ".json");
    wire::ModuleFile file{.digest = task.inventory.digest, .source = task.inventory.source};
    RETURN_IF_ERROR(folder_.WriteText(path, wire::EncodeModuleFile(file)));
    return {};
  }

  Status FetchDocuments(InventoryClient& client, const MirroredRelease& release) {
    ASSIGN_OR_RETURN(wire::ReleaseDocuments documents,
                     client.Send(At(wire::kGetReleaseDocuments, release)));
    fs::path place = ProviderFolder(folder_.path(), release);
    wire::KeysFile keys{.protocols = std::move(documents.protocols),
                        .keys = std::move(documents.keys)};
    const ProviderAddress& address = release.address;
    RETURN_IF_ERROR(folder_.WriteText(place / SignatureFileName(address, release.version),
                                      documents.signature));
    RETURN_IF_ERROR(folder_.WriteText(place / KeysFileName(address, release.version),
                                      wire::EncodeKeysFile(keys)));
    RETURN_IF_ERROR(
        folder_.WriteText(place / SumsFileName(address, release.version), documents.shasums));
    return {};
  }

  // Adds what earlier exports into this folder left, as far as it is still there.
  void WriteVersions() {
    for (auto& [place, versions] : versions_) {
      std::vector<std::string> listed;
      for (auto& [version, document] : versions) {
        Merge(place, folder_.ReadText(place / (version + ".json")), document);
        Keep(place / (version + ".json"), wire::EncodeMirrorVersionFile(document));
        listed.push_back(version);
      }
      auto before = wire::DecodeMirrorIndex(folder_.ReadText(place / "index.json"));
      for (const std::string& version : before.value_or(std::vector<std::string>())) {
        bool known = versions.contains(version) || !Version::Parse(version);
        if (!known && !folder_.ReadText(place / (version + ".json")).empty()) {
          listed.push_back(version);
        }
      }
      Keep(place / "index.json", wire::EncodeMirrorIndexFile(std::move(listed)));
    }
  }

  void Merge(const fs::path& place, const std::string& text, wire::MirrorVersion& document) const {
    auto before = wire::DecodeMirrorVersion(text);
    if (!before) return;
    for (auto& [platform, archive] : before->archives) {
      std::error_code failed;
      bool bare = archive.url.find('/') == std::string::npos;
      if (bare && fs::is_regular_file(place / archive.url, failed)) {
        document.archives.try_emplace(platform, std::move(archive));
      }
    }
  }

  void Keep(const fs::path& path, const std::string& text) {
    Result<bool> written = folder_.WriteText(path, text);
    if (!written) Problem(path.string(), written.error());
  }

  const Place& place_;
  const ExportFolder& folder_;
  const Plan& plan_;
  std::size_t jobs_;
  UploadProgress progress_;
  std::mutex mutex_;  // for all below
  // By folder, by version.
  std::map<fs::path, std::map<std::string, wire::MirrorVersion>> versions_;
  std::vector<std::string> problems_;
  std::size_t written_ = 0;
  std::size_t unchanged_ = 0;
  std::uint64_t bytes_ = 0;
};

void PrintReport(const Exporter& exporter, const std::string& folder, Output& output) {
  output.Print(fmt::format("Exported to {}: {} written ({}), {} already there, {} failed", folder,
                           exporter.written(), ReadableSize(exporter.bytes()), exporter.unchanged(),
                           exporter.problems().size()));
  for (const std::string& problem : exporter.problems()) output.Note("koya: " + problem);
  output.PrintDocument(wire::Encode<wire::ExportReport>({.written = exporter.written(),
                                                         .unchanged = exporter.unchanged(),
                                                         .bytes = exporter.bytes(),
                                                         .problems = exporter.problems()}));
}

Result<int> Export(const ExportArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  InventoryClient client(place.connection());
  ASSIGN_OR_RETURN(Plan plan, MakePlan(arguments.folder, arguments, client));
  if (plan.packages.empty() && plan.modules.empty()) {
    return Fail(ErrorKind::kNotFound,
                arguments.filter.empty()
                    ? "nothing to export: fetch packages first (koya mirror fetch)"
                    : "no cached package matches: see koya mirror list");
  }
  ASSIGN_OR_RETURN(ExportFolder folder, ExportFolder::Open(arguments.folder));
  auto exporter = std::make_unique<Exporter>(place, folder, plan, arguments.jobs, output);
  exporter->Run();
  PrintReport(*exporter, arguments.folder, output);
  return exporter->problems().empty() ? 0 : 1;
}

}  // namespace

void AddMirrorExportCommand(CLI::App& mirror, Invocation& invocation) {
  CLI::App* command =
      mirror.add_subcommand("export", "Write the mirrored packages as a static mirror");
  auto arguments = std::make_shared<ExportArguments>();
  command->add_option("DIR", arguments->folder, "The folder to write")->required()->type_name("");
  AddMirrorFilterFlags(*command, arguments->filter);
  command->add_flag("--all-platforms", arguments->all_platforms,
                    "Also packages that are not cached: the server fetches them");
  AddJobsFlag(*command, arguments->jobs, "How many files are fetched at once");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kMirrorExportFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Export(*arguments, output); };
  });
}

}  // namespace koya::cli
