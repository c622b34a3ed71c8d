// koya mirror import DIR

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/api/local_file.h"
#include "cli/api/place.h"
#include "cli/mirror/mirror.h"
#include "cli/mirror/mirror_folder.h"
#include "cli/text/upload_progress.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kMirrorImportFooter =
    R"(DIR is the output of "tofu providers mirror", "terraform providers mirror" or "koya mirror export",
or a filesystem_mirror with zips (packed layout). The server computes every hash; index.json and
VERSION.json are ignored. An export's signed SHA256SUMS are verified, so its providers can be served
under /origin/ as well.
The server need not be allowed to pull from the registry, or able to reach it.
Stored packages are not sent again, so you can simply repeat an interrupted run. A package that
contradicts the stored one is rejected, and the rest is imported.

Examples:
  koya mirror import /srv/static-mirror
  koya mirror import /media/usb/mirror --data /var/lib/koya      while the server is stopped)";

struct ImportArguments {
  std::string folder;
  std::size_t jobs = 4;
  PlaceFlags place;
};

// True for errors that every other import would fail with, too: continuing is pointless.
bool IsHopeless(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kUnauthenticated:
    case ErrorKind::kUnavailable:
    case ErrorKind::kTimeout:
    case ErrorKind::kStorageFull:
      return true;
    default:
      return false;
  }
}

class Importer {
 public:
  Importer(const Place& place, const MirrorFolder& folder, std::size_t jobs, Output& output)
      : place_(place),
        folder_(folder),
        jobs_(jobs),
        progress_(output.shell().err, TotalBytes(folder), output.shell().err_is_terminal),
        problems_(folder.problems) {}

  // Fails with errors that affect all imports.
  Status Run() {
    RETURN_IF_ERROR(LearnWhatIsThere());
    // A release's documents first: its packages are held against them.
    RunAll(folder_.documents,
           [this](InventoryClient& client, std::size_t, const FoundDocuments& each) {
             Result<bool> created = client.ImportDocuments(each.release, each.documents);
             if (!created) {
               std::lock_guard lock(mutex_);
               doubtful_.insert(each.release.ToString());
             }
             return Count(std::move(created), 0);
           });
    if (!failure_) {
      RunAll(folder_.packages,
             [this](InventoryClient& client, std::size_t worker, const FoundPackage& each) {
               return Send(client, worker, each);
             });
    }
    if (!failure_) {
      RunAll(folder_.modules,
             [this](InventoryClient& client, std::size_t worker, const FoundModule& each) {
               return Send(client, worker, each);
             });
    }
    if (failure_) return Failure(*failure_);
    return {};
  }

  const std::vector<std::string>& problems() const { return problems_; }
  std::size_t imported() const { return imported_; }
  std::size_t unchanged() const { return unchanged_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  static std::uint64_t TotalBytes(const MirrorFolder& folder) {
    std::uint64_t total = 0;
    for (const FoundPackage& each : folder.packages) total += each.size;
    for (const FoundModule& each : folder.modules) total += each.size;
    return total;
  }

  // Reads the digests of held artifacts, so that those need not be sent.
  Status LearnWhatIsThere() {
    InventoryClient client(place_.connection());
    RETURN_IF_ERROR(client.RequireRightsToAll());
    ASSIGN_OR_RETURN(std::vector<wire::InventoryRelease> releases, client.ListReleases());
    for (const wire::InventoryRelease& release : releases) {
      for (const wire::InventoryPackage& package : release.packages) {
        if (!package.held) continue;
        std::string key = Key(release.Key(), release.version, package.platform);
        Note(std::move(key), package.digest, package.size);
      }
    }
    ASSIGN_OR_RETURN(std::vector<wire::InventoryModule> modules, client.ListModules());
    for (const wire::InventoryModule& each : modules) {
      if (!each.held) continue;
      ASSIGN_OR_RETURN(MirroredModule module, ParseInventory(each));
      Note(Key(module), each.digest, each.size);
    }
    return {};
  }

  static std::string Key(const std::string& provider, const std::string& version,
                         const std::string& platform) {
    return fmt::format("{} {} {}", provider, version, platform);
  }
  static std::string Key(const FoundPackage& each) {
    return Key(each.release.Key(), each.release.version.ToString(), each.platform.ToString());
  }
  // However the address is written: it is one module in any letter case.
  static std::string Key(const MirroredModule& module) {
    return fmt::format("{}/{} {}", module.host.ascii(), module.address.Key(),
                       module.version.ToString());
  }

  void Note(std::string key, std::string digest, std::uint64_t size) {
    there_[std::move(key)] = std::move(digest);
    sizes_.insert(size);
  }

  template <class Item, class Work>
  void RunAll(const std::vector<Item>& items, const Work& work) {
    std::vector<std::unique_ptr<InventoryClient>> clients(std::max<std::size_t>(jobs_, 1));
    RunJobs(items.size(), jobs_, [&](std::size_t worker, std::size_t index) {
      if (!clients[worker])
        clients[worker] = std::make_unique<InventoryClient>(place_.connection());
      const Item& item = items[index];
      Status done = work(*clients[worker], worker, item);
      if (done) return true;
      std::lock_guard lock(mutex_);
      if (!IsHopeless(done.error())) {
        problems_.push_back(fmt::format("{}: {}", item.path.string(), done.error().message));
        return true;
      }
      if (!failure_) failure_ = std::move(done).error();
      return false;
    });
  }

  Status Count(Result<bool> created, std::uint64_t size) {
    if (!created) return Failure(std::move(created).error());
    std::lock_guard lock(mutex_);
    if (*created) {
      ++imported_;
      bytes_ += size;
    } else {
      ++unchanged_;
    }
    return {};
  }

  Result<UniqueFd> Open(const std::filesystem::path& path) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file.valid()) return file;
    return FailInvalid("it cannot be read: {}", std::strerror(errno));
  }

  // `found`: a package or a module's archive; `key`: its own.
  template <class Found>
  Result<bool> IsThere(const Found& found, const std::string& key) {
    auto known = there_.find(key);
    if (known == there_.end() || !sizes_.contains(found.size)) return false;
    ASSIGN_OR_RETURN(std::string digest, FileDigest(found.path));
    return digest == known->second;
  }

  Status Send(InventoryClient& client, std::size_t worker, const FoundPackage& each) {
    if (doubtful_.contains(each.release.ToString())) {
      return FailRefused("not imported, because its SHA256SUMS was not");
    }
    progress_.Begin(worker, each.path.filename().string());
    ASSIGN_OR_RETURN(bool there, IsThere(each, Key(each)));
    Result<bool> created = false;
    if (!there) {
      ASSIGN_OR_RETURN(UniqueFd file, Open(each.path));
      created = client.ImportPackage(each.release, each.platform, Upload(file, each.size, worker));
    }
    progress_.Finish(worker, each.size);
    return Count(std::move(created), each.size);
  }

  Status Send(InventoryClient& client, std::size_t worker, const FoundModule& each) {
    progress_.Begin(worker, each.module.ToString());
    ASSIGN_OR_RETURN(bool there, IsThere(each, Key(each.module)));
    Result<bool> created = false;
    if (!there) {
      ASSIGN_OR_RETURN(UniqueFd file, Open(each.path));
      created = client.ImportModule(each.module, each.source, Upload(file, each.size, worker));
    }
    progress_.Finish(worker, each.size);
    return Count(std::move(created), each.size);
  }

  http::FileUpload Upload(const UniqueFd& file, std::uint64_t size, std::size_t worker) {
    return {file.get(), size, [this, worker](std::uint64_t sent) { progress_.Show(worker, sent); }};
  }

  const Place& place_;
  const MirrorFolder& folder_;
  std::size_t jobs_;
  UploadProgress progress_;
  std::map<std::string, std::string> there_;  // by Key()
  std::set<std::uint64_t> sizes_;             // of those there
  std::mutex mutex_;                          // for all below
  std::set<std::string> doubtful_;            // releases whose documents were refused
  std::optional<Error> failure_;
  std::vector<std::string> problems_;
  std::size_t imported_ = 0;
  std::size_t unchanged_ = 0;
  std::uint64_t bytes_ = 0;
};

std::string Counts(const Importer& importer) {
  return fmt::format("Imported {} ({}), {} already there, {} rejected", importer.imported(),
                     ReadableSize(importer.bytes()), importer.unchanged(),
                     importer.problems().size());
}

void NoteProblems(const Importer& importer, Output& output) {
  for (const std::string& problem : importer.problems()) output.Note("koya: " + problem);
}

// Imports before the failure are done, and rejected files would be rejected again.
void NoteUntilThen(const Importer& importer, Output& output) {
  NoteProblems(importer, output);
  bool begun = importer.imported() + importer.unchanged() + importer.problems().size() > 0;
  if (begun) output.Note("koya: " + Counts(importer));
}

void PrintReport(const Importer& importer, Output& output) {
  output.Print(Counts(importer));
  NoteProblems(importer, output);
  output.PrintDocument(wire::Encode<wire::ImportReport>({.imported = importer.imported(),
                                                         .unchanged = importer.unchanged(),
                                                         .bytes = importer.bytes(),
                                                         .problems = importer.problems()}));
}

Result<int> Import(const ImportArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(MirrorFolder folder, ReadMirrorFolder(arguments.folder));
  for (const std::string& note : folder.notes) output.Note("koya: note: " + note);
  bool nothing = folder.packages.empty() && folder.documents.empty() && folder.modules.empty();
  if (nothing && folder.problems.empty()) {
    return FailInvalid(
        "{} has nothing to import: a mirror's packages are in HOST/NAMESPACE/TYPE/ below it",
        arguments.folder);
  }
  ASSIGN_OR_RETURN(Place place, Place::OpenOrBegin(arguments.place, output));
  auto importer = std::make_unique<Importer>(place, folder, arguments.jobs, output);
  if (Status done = importer->Run(); !done) {
    NoteUntilThen(*importer, output);
    return Failure(std::move(done).error());
  }
  PrintReport(*importer, output);
  return importer->problems().empty() ? 0 : 1;
}

}  // namespace

void AddMirrorImportCommand(CLI::App& mirror, Invocation& invocation) {
  CLI::App* command = mirror.add_subcommand("import", "Import a static mirror or an export");
  auto arguments = std::make_shared<ImportArguments>();
  command->add_option("DIR", arguments->folder, "The mirror's folder")->required()->type_name("");
  AddJobsFlag(*command, arguments->jobs, "How many packages are sent at once");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kMirrorImportFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Import(*arguments, output); };
  });
}

}  // namespace koya::cli
