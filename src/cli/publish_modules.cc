// koya publish modules DIR

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/private_file.h"
#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/api/registry_client.h"
#include "cli/ci_identity.h"
#include "cli/impact.h"
#include "cli/module_folders.h"
#include "cli/module_rules.h"
#include "cli/program.h"
#include "cli/publish_package.h"
#include "cli/text/named_arguments.h"
#include "cli/text/output.h"
#include "upstream/child_program.h"

namespace koya::cli {
namespace {

constexpr std::string_view kRulesFile = "koya.toml";
constexpr std::chrono::seconds kGitTimeout{60};
constexpr std::size_t kMostGitOutput = 16 << 20;

constexpr std::string_view kPublishModulesFooter =
    R"(The modules that a tag means, by the rules in DIR/koya.toml; the first that fits counts:

  namespace = "acme"

  [[module]]
  tag    = "{name}-v{version}"      # or "modules/{path}/v{version}", "{name}@{version}", …
  folder = "modules/{name}"         # {name} and {system}: one segment; {path}: several
  module = "{name}/aws"             # NAME/SYSTEM; left out: {name}/{system}
  with   = ["modules/common"]       # folders that go along in the package

Without rules: in a repository called terraform-SYSTEM-NAME, v1.2.0 means its top folder; and
network-v1.2.0, network/v1.2.0 and network@1.2.0 mean the module folder of that path or name.
A module that calls ../common is published together with that folder. The printed source has "//".

Exit status: 0 all published, or with --dry-run would be; else 1.

Examples:
  koya publish modules . --tag "$GITHUB_REF_NAME"
  koya publish modules . --tag network-v1.2.0 --namespace acme --system aws
  koya publish modules . --version 1.2.0 --changed-since v1.1.0 --dry-run)";

struct ModulesArguments {
  std::string folder;
  std::string tag;
  std::string version;
  std::string ns;
  std::string system;
  std::string changed_since;
  bool dry_run = false;
  bool yes = false;
  std::string break_glass;
  std::string source_url;
  ServerFlags server;
};

struct PlannedModule {
  RepositoryModule found;
  std::vector<std::string> folders;  // of its package
};

struct ModulesPlan {
  std::filesystem::path top;
  std::string ns;
  std::string source_url;  // of the repository; "": not stated
  TaggedModules tagged;
};

std::string FolderName(const std::string& folder) { return folder.empty() ? "." : folder; }

Result<ModulesPlan> PlanModules(const ModulesArguments& arguments) {
  ASSIGN_OR_RETURN(std::string source, CheckedSource(arguments.source_url));
  std::error_code failed;
  std::filesystem::path top = std::filesystem::canonical(arguments.folder, failed);
  if (failed) top = arguments.folder;
  ASSIGN_OR_RETURN(const Repository repository, ListModuleFolders(top));
  ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(top / kRulesFile));
  ASSIGN_OR_RETURN(const ModuleRules rules, ParseModuleRules(text, std::string(kRulesFile)));
  const std::string ns = arguments.ns.empty() ? rules.ns : arguments.ns;
  if (ns.empty()) {
    return FailInvalid(
        "the namespace is not known: pass --namespace, or set it in {}: "
        "namespace = \"acme\"",
        kRulesFile);
  }
  const ModuleFinder finder(repository, rules, ns, arguments.system);
  if (!arguments.tag.empty()) {
    ASSIGN_OR_RETURN(TaggedModules tagged, finder.OfTag(arguments.tag));
    return ModulesPlan{top, ns, std::move(source), std::move(tagged)};
  }
  ASSIGN_OR_RETURN(Version version, Version::Parse(arguments.version));
  ASSIGN_OR_RETURN(std::vector<RepositoryModule> modules, finder.All());
  return ModulesPlan{top, ns, std::move(source), {std::move(version), std::move(modules)}};
}

// The files that differ from `reference`, from `top`, each behind a NUL.
Result<std::string> ChangedFiles(const std::filesystem::path& top, const std::string& reference) {
  Result<std::string> files = upstream::RunChild(
      {.command = {"git", "-c", "core.fsmonitor=false", "diff", "--no-ext-diff", "--name-only",
                   "--relative", "-z", "--end-of-options", reference, "--", "."},
       .timeout = kGitTimeout,
       .max_output = kMostGitOutput,
       .folder = top.string(),
       .max_errors = 400});
  if (files) return '\0' + *std::move(files);
  if (files.error().kind == ErrorKind::kNotFound) {
    return FailInvalid("git is not installed, and --changed-since needs it");
  }
  if (files.error().kind != ErrorKind::kRefused) return Failure(std::move(files).error());
  return FailInvalid(
      "git cannot compare with \"{}\": {}; fetch it first (GitHub Actions: fetch-depth: 0)",
      Printable(reference), Printable(files.error().detail, 400));
}

Status KeepChanged(const std::filesystem::path& top, const std::string& reference,
                   std::vector<PlannedModule>& modules) {
  ASSIGN_OR_RETURN(const std::string changed, ChangedFiles(top, reference));
  std::erase_if(modules, [&](const PlannedModule& module) {
    return std::ranges::none_of(module.folders, [&](const std::string& folder) {
      return changed.contains('\0' + folder + (folder.empty() ? "" : "/")) &&
             (!folder.empty() || changed.size() > 1);
    });
  });
  return {};
}

// Errors that every further module would have, too.
bool ConcernsAll(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kInvalid:
    case ErrorKind::kRefused:
    case ErrorKind::kGone:
    case ErrorKind::kConflict:
    case ErrorKind::kTooLarge:
      return false;
    default:
      return true;
  }
}

Result<wire::PublishedFolders::Published> PublishOne(RegistryClient& client,
                                                     const ModulesPlan& plan,
                                                     const PlannedModule& planned, bool dry_run,
                                                     Output& output) {
  const std::filesystem::path temporary = TemporaryFolder(output.shell().variables);
  ASSIGN_OR_RETURN(FolderPackageFile packed,
                   PackModule(plan.top, planned.found, planned.folders, temporary));
  ASSIGN_OR_RETURN(
      wire::PublishedModule module,
      PublishPackage(client,
                     {planned.found.address, plan.tagged.version, packed.package, packed.subfolder,
                      dry_run, SourceOfFolder(plan.source_url, planned.found.folder)},
                     output));
  return wire::PublishedFolders::Published{FolderName(planned.found.folder),
                                           std::move(packed.subfolder), std::move(module)};
}

Result<wire::PublishedFolders> PublishAll(RegistryClient& client, const CiIdentity& job,
                                          const ModulesPlan& plan,
                                          const std::vector<PlannedModule>& modules, bool dry_run,
                                          Output& output) {
  wire::PublishedFolders report;
  for (const PlannedModule& each : modules) {
    if (&each != &modules.front()) output.Print("");
    auto published = PublishOne(client, plan, each, dry_run, output);
    if (published) {
      report.published.push_back(*std::move(published));
      continue;
    }
    Error error = std::move(published).error();
    if (ConcernsAll(error)) return job.Refused(std::move(error));
    output.Note(fmt::format("koya: {}: {}", FolderName(each.found.folder), error.message));
    report.failed.push_back({FolderName(each.found.folder), each.found.address.ToString(),
                             plan.tagged.version.ToString(), std::move(error.message)});
  }
  return report;
}

// In this order everything that can be refused here is refused before anything is packed or sent.
Result<int> PublishModules(const ModulesArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(const ModulesPlan plan, PlanModules(arguments));
  std::vector<PlannedModule> modules;
  for (const RepositoryModule& each : plan.tagged.modules) {
    ASSIGN_OR_RETURN(std::vector<std::string> folders, FoldersOfPackage(plan.top, each));
    modules.push_back({each, std::move(folders)});
  }
  if (!arguments.changed_since.empty()) {
    RETURN_IF_ERROR(KeepChanged(plan.top, arguments.changed_since, modules));
  }
  if (modules.empty()) {
    output.Print(fmt::format("Nothing to publish: no module folder changed since {}",
                             Printable(arguments.changed_since)));
    output.PrintDocument(wire::Encode(wire::PublishedFolders()));
    return 0;
  }
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  connection.break_glass = arguments.break_glass;
  ASSIGN_OR_RETURN(const CiIdentity job, UseCiIdentity(connection, plan.ns, output));
  if (!arguments.yes && !arguments.dry_run) {
    RETURN_IF_ERROR(ConfirmNewNamespace(connection, plan.ns, output));
  }
  RegistryClient client(std::move(connection));
  ASSIGN_OR_RETURN(const wire::PublishedFolders report,
                   PublishAll(client, job, plan, modules, arguments.dry_run, output));
  output.PrintDocument(wire::Encode(report));
  const bool refused = std::ranges::any_of(
      report.published, [](const auto& each) { return !each.module.refusal.empty(); });
  return refused || !report.failed.empty() ? 1 : 0;
}

void AddModulesFlags(CLI::App& command, ModulesArguments& arguments) {
  CLI::Option* tag =
      command.add_option("--tag", arguments.tag, "Publish the modules that it means");
  CLI::Option* version =
      command.add_option("--version", arguments.version, "Publish every module as this version");
  tag->type_name("TAG")->excludes(version);
  version->type_name("VERSION")->check(CheckVersion);
  command.add_option("--namespace", arguments.ns, "The modules' namespace")->type_name("NAMESPACE");
  command
      .add_option("--system", arguments.system, "The system of modules that do not say theirs: aws")
      ->type_name("SYSTEM");
  command
      .add_option("--changed-since", arguments.changed_since,
                  "Only modules whose folders differ from this commit, tag or branch")
      ->type_name("REF");
  AddSourceFlag(command, arguments.source_url);
  command.add_flag("--dry-run", arguments.dry_run,
                   "Show what would be published and check its number; store nothing");
  command.add_flag("--yes", arguments.yes,
                   "Do not ask on a terminal before creating a new namespace");
}

}  // namespace

void AddPublishModulesCommand(CLI::App& publish, Invocation& invocation) {
  CLI::App* modules =
      publish.add_subcommand("modules", "Publish the modules of a repository that a tag means");
  auto arguments = std::make_shared<ModulesArguments>();
  modules->add_option("DIR", arguments->folder, "The repository's top folder")
      ->required()
      ->type_name("");
  AddModulesFlags(*modules, *arguments);
  AddBreakGlassFlag(*modules, arguments->break_glass);
  AddServerFlags(*modules, arguments->server);
  AddJsonFlag(*modules, invocation);
  modules->footer(std::string(kPublishModulesFooter));
  modules->callback([arguments, &invocation] {
    if (arguments->tag.empty() && arguments->version.empty()) {
      throw CLI::RequiredError("--tag or --version");
    }
    invocation.action = [arguments](Output& output) { return PublishModules(*arguments, output); };
  });
}

}  // namespace koya::cli
