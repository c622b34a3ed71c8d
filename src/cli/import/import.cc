// koya import SOURCE …

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/import/copying.h"
#include "cli/import/plan.h"
#include "cli/import/product.h"
#include "cli/import/protocol_source.h"
#include "cli/mirror/mirror.h"
#include "cli/package.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "wire/command_results.h"
#include "wire/foreign/foreign_versions.h"
#include "wire/modules.h"

namespace koya::cli {
namespace {

constexpr std::string_view kImportFooter =
    R"(Modules and providers come with their versions, times, signatures and bytes: lock files keep working.
The target is the checkpoint: versions that it has are not fetched again, so you can repeat an
interrupted run, and run it again for new versions. Nothing on the target is removed or changed.

Tokens for the source are those that "tofu login" and "terraform login" store, TF_TOKEN_… variables,
credentials blocks of ~/.tofurc and ~/.terraformrc, and ~/.netrc. Importing requires a token of an
owner of the target's namespaces, or of an administrator.

Exit status: 0 all imported or there; 1 something was refused, or with --assess would be.)";

constexpr std::uint64_t kMostDetails = 128U << 20;  // of a module, with its contents

struct CopyArguments {
  SourceArguments source;
  std::vector<std::string> maps;
  bool assess = false;
  bool recheck = false;
  bool trust_keys = false;
  std::string watch;
  std::string break_glass;
  std::size_t jobs = 4;
  ServerFlags server;
};

// Errors that every other version would fail with, too.
bool EndsTheRun(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kUnauthenticated:
    case ErrorKind::kStorageFull:
    case ErrorKind::kTimeout:  // of the target: a source's are kUpstreamTimeout
      return true;
    case ErrorKind::kUnavailable:  // without a time to wait for: the target cannot be reached
      return error.retry_after == 0;
    default:
      return false;
  }
}

// Calls again what the target, which limits requests or is busy, asks to repeat later.
template <class Call>
auto AsTheTargetAllows(const Call& call) -> decltype(call()) {
  constexpr int kMostWaits = 6;
  constexpr std::chrono::seconds kLongestRetryWait{600};
  for (int waits = 0;; ++waits) {
    auto result = call();
    const bool later = !result && waits < kMostWaits && result.error().retry_after > 0 &&
                       (result.error().kind == ErrorKind::kThrottled ||
                        result.error().kind == ErrorKind::kUnavailable);
    if (!later) return result;
    std::this_thread::sleep_for(
        std::min(std::chrono::seconds(result.error().retry_after), kLongestRetryWait));
  }
}

// The versions of a package on the target.
struct PackageThere {
  std::set<std::string> versions;
  std::map<std::string, std::string> digests;  // of imported ones at the source, if asked for
};

// How far a run is: one line on a terminal, a line for each version elsewhere. Thread-safe.
class ImportProgress {
 public:
  ImportProgress(Output& output, std::size_t total)
      : output_(output), total_(total), started_(std::chrono::steady_clock::now()) {}
  ~ImportProgress() {
    if (drawn_) output_.shell().err << "\r\x1b[K" << std::flush;
  }
  ImportProgress(const ImportProgress&) = delete;
  ImportProgress& operator=(const ImportProgress&) = delete;

  void Done(const std::string& name, std::uint64_t bytes, bool created) {
    std::lock_guard lock(mutex_);
    ++done_;
    bytes_ += bytes;
    if (!output_.shell().err_is_terminal) {
      if (created) output_.Note(fmt::format("koya: imported {} ({})", name, ReadableSize(bytes)));
      return;
    }
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - started_;
    const double seconds = std::max(since.count(), 0.001);
    const auto left = static_cast<std::uint64_t>(seconds / static_cast<double>(done_) *
                                                 static_cast<double>(total_ - done_));
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(bytes_) / seconds);
    output_.shell().err << fmt::format("\r\x1b[K{} of {} versions  {}  {}/s  {}:{:02} left", done_,
                                       total_, ReadableSize(bytes_), ReadableSize(rate), left / 60,
                                       left % 60)
                        << std::flush;
    drawn_ = true;
  }

 private:
  Output& output_;
  const std::size_t total_;
  const std::chrono::steady_clock::time_point started_;
  std::mutex mutex_;  // for the rest
  std::size_t done_ = 0;
  std::uint64_t bytes_ = 0;
  bool drawn_ = false;
};

// One run: lists the source, compares with the target, then reports or copies.
class ImportRun {
 public:
  ImportRun(ImportSource& source, const CopyArguments& arguments, const AddressMap& map,
            RegistryClientOptions target, Output& output)
      : source_(source),
        arguments_(arguments),
        map_(map),
        options_{.target = std::move(target),
                 .temporary = TemporaryFolder(output.shell().variables),
                 .trust_keys = arguments.trust_keys},
        output_(output) {}

  // Fails with errors that concern all versions.
  Result<wire::RegistryImport> Run() {
    RETURN_IF_ERROR(List());
    RETURN_IF_ERROR(CompareWithTarget());
    if (!arguments_.assess) RETURN_IF_ERROR(CopyAll());
    std::ranges::sort(report_.refused, {}, [](const wire::RegistryImport::Refused& each) {
      return std::tie(each.address, each.version);
    });
    return std::move(report_);
  }

 private:
  struct Work {
    const PlannedPackage* package;
    std::vector<const PlannedVersion*> versions;
  };

  void Refuse(std::string address, std::string version, std::string why) {
    std::lock_guard lock(mutex_);
    report_.refused.push_back({std::move(address), std::move(version), std::move(why)});
  }

  Status List();
  void ListVersions(std::vector<wire::ListedPackage>& listed);
  Result<PackageThere> ReadTarget(ApiClient& api, const PlannedPackage& package);
  bool IsThere(const PlannedPackage& package, const PlannedVersion& planned,
               const PackageThere& there);
  Status CompareWithTarget();
  Status CopyAll();
  bool CopyOne(Copying& copying, const PlannedPackage& package, const PlannedVersion& planned,
               ImportProgress& progress);

  ImportSource& source_;
  const CopyArguments& arguments_;
  const AddressMap& map_;
  const CopyOptions options_;
  Output& output_;
  ImportPlan plan_;
  double seconds_per_request_ = 0;  // to the source, several at once
  std::vector<Work> work_;
  std::mutex mutex_;  // for the rest
  wire::RegistryImport report_;
  std::optional<Error> failure_;
};

// Asks for the versions that the list did not state; packages without an answer are refused.
void ImportRun::ListVersions(std::vector<wire::ListedPackage>& listed) {
  RunJobs(listed.size(), arguments_.jobs, [&](std::size_t, std::size_t index) {
    wire::ListedPackage& package = listed[index];
    if (!package.versions.empty()) return true;
    Result<std::vector<wire::ListedVersion>> versions = source_.ListVersions(package);
    if (versions) {
      package.versions = *std::move(versions);
    } else {
      Refuse(package.address, "", versions.error().message);
    }
    return true;
  });
}

Status ImportRun::List() {
  const auto started = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(std::vector<wire::ListedPackage> listed, source_.ListPackages());
  report_.packages = listed.size();
  ListVersions(listed);
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - started;
  seconds_per_request_ = since.count() / static_cast<double>(listed.size() + 1);
  plan_ = PlanImport(std::move(listed), map_);
  for (RefusedImport& each : plan_.refused) {
    report_.refused.push_back(
        {std::move(each.address), std::move(each.version), std::move(each.why)});
  }
  report_.clashes = plan_.clashes;
  return {};
}

// One request: for the versions, or for the digests at the source, too, where its list states them.
Result<PackageThere> ImportRun::ReadTarget(ApiClient& api, const PlannedPackage& package) {
  PackageThere there;
  const bool wants_digests =
      package.is_module && std::ranges::any_of(package.versions, [](const PlannedVersion& each) {
        return !each.listed.digest.empty();
      });
  const std::string path = fmt::format("/v1/{}/{}{}", package.is_module ? "modules" : "providers",
                                       AddressPath(package.ours), wants_digests ? "" : "/versions");
  Result<http::ClientResponse> response = AsTheTargetAllows([&] {
    http::ClientRequest request;
    request.max_body = kMostDetails;
    return api.Call(std::move(request), path);
  });
  if (!response && response.error().kind == ErrorKind::kNotFound) return there;
  if (!response) return Failure(std::move(response).error());
  const std::string& body = response->body;
  if (wants_digests) {
    ASSIGN_OR_RETURN(const auto details, wire::Decode<wire::ModuleDetails>(body));
    there.versions = {details.versions.begin(), details.versions.end()};
    there.digests = details.imported;
  } else if (package.is_module) {
    ASSIGN_OR_RETURN(const wire::ModuleVersions list, wire::DecodeModuleVersions(body));
    there.versions = {list.versions.begin(), list.versions.end()};
  } else {
    ASSIGN_OR_RETURN(const wire::ForeignVersions list, wire::DecodeForeignVersions(body));
    for (const wire::ProviderVersion& each : list.document.versions) {
      there.versions.insert(each.version);
    }
  }
  return there;
}

// Whether the target has the version as the source's list states it. Other bytes than those of an
// earlier import are refused: a version never changes.
bool ImportRun::IsThere(const PlannedPackage& package, const PlannedVersion& planned,
                        const PackageThere& there) {
  const std::string version = planned.version.ToString();
  if (!there.versions.contains(version)) return false;
  const auto imported = there.digests.find(version);
  const std::string& listed = planned.listed.digest;
  if (listed.empty() || imported == there.digests.end() || imported->second == listed) {
    if (arguments_.recheck) return false;
    std::lock_guard lock(mutex_);
    ++report_.unchanged;
    return true;
  }
  Refuse(
      package.theirs, version,
      fmt::format("the source has other bytes ({}) than those that were imported ({}), which stay",
                  listed, imported->second));
  return true;
}

Status ImportRun::CompareWithTarget() {
  std::vector<std::unique_ptr<ApiClient>> clients(std::max<std::size_t>(arguments_.jobs, 1));
  work_.resize(plan_.packages.size());
  RunJobs(plan_.packages.size(), arguments_.jobs, [&](std::size_t worker, std::size_t index) {
    if (!clients[worker]) clients[worker] = std::make_unique<ApiClient>(options_.target);
    const PlannedPackage& package = plan_.packages[index];
    Result<PackageThere> there = ReadTarget(*clients[worker], package);
    if (!there) {
      std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::move(there).error();
      return false;
    }
    work_[index].package = &package;
    for (const PlannedVersion& each : package.versions) {
      if (!IsThere(package, each, *there)) work_[index].versions.push_back(&each);
    }
    return true;
  });
  if (failure_) return Failure(*std::move(failure_));
  if (!arguments_.assess) return {};
  for (const Work& each : work_) {
    report_.versions += each.versions.size();
    for (const PlannedVersion* version : each.versions) report_.bytes += version->listed.size;
  }
  // A document, an archive, its time, and the upload.
  constexpr double kRequests = 4;
  report_.seconds = static_cast<std::uint64_t>(
      std::ceil(kRequests * seconds_per_request_ * static_cast<double>(report_.versions)));
  return {};
}

// False when the package's other versions would fail alike.
bool ImportRun::CopyOne(Copying& copying, const PlannedPackage& package,
                        const PlannedVersion& planned, ImportProgress& progress) {
  const std::string name = fmt::format("{} {}", package.ours, planned.version.ToString());
  Result<CopiedVersion> copied = AsTheTargetAllows([&] { return copying.Copy(package, planned); });
  if (copied) {
    progress.Done(name, copied->bytes, copied->created);
    std::lock_guard lock(mutex_);
    ++(copied->created ? report_.versions : report_.unchanged);
    report_.bytes += copied->bytes;
    return true;
  }
  progress.Done(name, 0, false);
  Refuse(package.theirs, planned.version.ToString(), copied.error().message);
  if (copied.error().kind == ErrorKind::kForbidden) return false;
  if (!EndsTheRun(copied.error())) return true;
  std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(copied).error();
  return false;
}

Status ImportRun::CopyAll() {
  std::size_t total = 0;
  for (const Work& each : work_) total += each.versions.size();
  ImportProgress progress(output_, total);
  Copying::AddedKeys keys;
  RunJobs(work_.size(), arguments_.jobs, [&](std::size_t, std::size_t index) {
    if (work_[index].versions.empty()) return true;
    Copying copying(source_, options_, keys);
    for (const PlannedVersion* each : work_[index].versions) {
      if (!CopyOne(copying, *work_[index].package, *each, progress)) break;
    }
    std::lock_guard lock(mutex_);
    return !failure_;
  });
  if (failure_) return Failure(*std::move(failure_));
  return {};
}

void PrintImport(const wire::RegistryImport& report, bool assess, Output& output) {
  output.Print(
      fmt::format("{}: {} modules and providers", assess ? "Found" : "Source", report.packages));
  output.Print(fmt::format("{} {} versions ({}{}), {} already there, {} refused",
                           assess ? "Would import" : "Imported", report.versions,
                           assess && report.bytes == 0 ? "the source's list states no sizes"
                                                       : ReadableSize(report.bytes),
                           assess && report.bytes > 0 ? " as listed" : "", report.unchanged,
                           report.refused.size()));
  if (assess && report.versions > 0) {
    output.Print(fmt::format("It would take about {}:{:02} min at the pace of this listing",
                             report.seconds / 60, report.seconds % 60));
  }
  for (const std::string& each : report.clashes)
    output.Note("koya: clash: " + Printable(each, 400));
  for (const wire::RegistryImport::Refused& each : report.refused) {
    output.Note(fmt::format("koya: {}{}{}: {}", Printable(each.address, 200),
                            each.version.empty() ? "" : " ", Printable(each.version, 140),
                            Printable(each.why, 2000)));
  }
  output.PrintDocument(wire::Encode(report));
}

Result<int> Import(const CopyArguments& arguments, const ImportProduct& product, Output& output) {
  AddressMap map;
  for (const std::string& rule : arguments.maps) RETURN_IF_ERROR(map.Add(rule));
  ASSIGN_OR_RETURN(RegistryClientOptions target, ChooseConnection(arguments.server, output));
  target.break_glass = arguments.break_glass;
  ASSIGN_OR_RETURN(const std::unique_ptr<ImportSource> source,
                   product.open(arguments.source, output));
  while (true) {
    ImportRun run(*source, arguments, map, target, output);
    Result<wire::RegistryImport> report = run.Run();
    if (report) PrintImport(*report, arguments.assess, output);
    if (arguments.watch.empty()) {
      if (!report) return Failure(std::move(report).error());
      return report->refused.empty() ? 0 : 1;
    }
    // A source or target in trouble now may be well the next time.
    if (!report) output.Note("koya: " + report.error().message);
    std::this_thread::sleep_for(ParseDuration(arguments.watch).value_or(std::chrono::minutes(10)));
  }
}

std::string CheckWatch(const std::string& text) {
  const auto age = ParseDuration(text);
  return age && age->count() > 0 ? "" : "write a duration with its unit, for example 10m";
}

void DeclareImport(CLI::App& command, CopyArguments& arguments) {
  command
      .add_option("--map", arguments.maps,
                  "Rename: 'THEIRS=OURS', with * at the end of parts; repeatable")
      ->type_name("RULE");
  CLI::Option* assess = command.add_flag("--assess", arguments.assess,
                                         "Report what would come and be refused; import nothing");
  command.add_flag("--recheck", arguments.recheck,
                   "Fetch versions that are there again, and compare their bytes");
  command.add_flag("--trust-keys", arguments.trust_keys,
                   "Let the keys of imported providers sign new releases, too");
  command
      .add_option("--watch", arguments.watch, "Run again after this time, until a signal ends it")
      ->type_name("DURATION")
      ->check(CheckWatch)
      ->excludes(assess);
  AddJobsFlag(command, arguments.jobs, "How many modules and providers are imported at once");
  AddBreakGlassFlag(command, arguments.break_glass);
  AddServerFlags(command, arguments.server);
}

}  // namespace

void AddImportCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* import = program.add_subcommand(
      "import", "Import modules and providers of another registry as this one's own");
  import->require_subcommand(1);
  for (const ImportProduct& product : ImportProducts()) {
    CLI::App* command =
        import->add_subcommand(std::string(product.name), std::string(product.about));
    auto arguments = std::make_shared<CopyArguments>();
    command
        ->add_option(std::string(product.place), arguments->source.place,
                     std::string(product.place_about))
        ->required()
        ->type_name("");
    if (product.declare != nullptr) product.declare(*command, arguments->source);
    DeclareImport(*command, *arguments);
    AddJsonFlag(*command, invocation);
    command->footer(std::string(kImportFooter));
    command->callback([arguments, &product, &invocation] {
      invocation.action = [arguments, &product](Output& output) {
        return Import(*arguments, product, output);
      };
    });
  }
}

}  // namespace koya::cli
