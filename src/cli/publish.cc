// koya publish module PATH NAMESPACE/NAME/SYSTEM VERSION

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/api/registry_client.h"
#include "cli/ci_identity.h"
#include "cli/impact.h"
#include "cli/package.h"
#include "cli/program.h"
#include "cli/text/comparison_text.h"
#include "cli/text/named_arguments.h"
#include "cli/text/output.h"
#include "cli/text/upload_progress.h"
#include "cli/text/usage_block.h"
#include "domain/module_address.h"
#include "domain/version.h"
#include "inspect/module_block.h"

namespace koya::cli {
namespace {

constexpr std::string_view kPublishFooter =
    R"(A folder is packed the same way on every machine: sorted, without times and owners.
.git, .terraform and files in .terraformignore are left out. Links within it become copies.
A version never changes: the same bytes again are fine, other bytes are rejected.
The contents are analyzed and compared with the version before. --dry-run does all of it, but stores
nothing.

Exit status: 0 published, or with --dry-run would be; else 1.

Examples:
  koya publish module ./modules/vpc acme/vpc/aws 1.2.0
  koya publish module ./modules/vpc acme/vpc/aws 1.3.0 --dry-run
  koya publish module vpc.tar.gz acme/vpc/aws 1.2.0 --server https://registry.example.com
  KOYA_TOKEN=… koya publish module . acme/vpc/aws "$TAG" --json)";

struct PublishArguments {
  std::string path;
  std::string address;
  std::string version;
  bool dry_run = false;
  bool yes = false;
  ServerFlags server;
};

// Clients reach the server under the name it gives its archives, which may differ from the one
// this command was given (a port forward, an address inside).
std::string PublicHost(const wire::PublishedModule& module, const http::Url& server) {
  Result<http::Url> location = http::ParseUrl(module.location);
  return location ? location->Authority() : server.Authority();
}

std::string WarningText(const wire::ReadWarning& warning) {
  std::string place = Printable(warning.file, 200);
  if (warning.line > 0) place += fmt::format(":{}", warning.line);
  return (place.empty() ? "" : place + ": ") + Printable(warning.text, 600);
}

// What could not be read, and whether the number agrees with what changed.
void NoteWhatWasRead(const wire::PublishedModule& module, Output& output) {
  for (const wire::ReadWarning& each : module.warnings) {
    output.Note("koya: warning: " + WarningText(each));
  }
  if (module.warnings_left_out > 0) {
    output.Note(fmt::format("koya: and {} more warnings", module.warnings_left_out));
  }
  NoteDisagreement(module.comparison, module.address, output);
}

void NoteCopies(const std::vector<std::string>& links, Output& output) {
  constexpr std::size_t kMostNamed = 10;
  for (std::size_t i = 0; i < std::min(links.size(), kMostNamed); ++i) {
    output.Note(fmt::format("koya: {} is a symbolic link: a copy of its target is packed",
                            Printable(links[i], 400)));
  }
  if (links.size() <= kMostNamed) return;
  output.Note(fmt::format("koya: and {} more links", links.size() - kMostNamed));
}

void PrintDetails(const wire::PublishedModule& module, Output& output) {
  output.Print(fmt::format("  digest  {}", module.digest));
  output.Print(fmt::format("  size    {} bytes", module.size));
  if (module.repacked)
    output.Print("  note    the server repacked the archive, with the module at its root");
}

// Of a module without configuration at its root, the submodules. What cannot be read here the
// server has taken nevertheless: then the root.
std::vector<std::string> FoldersOf(const Package& package) {
  Result<HostName> host = HostName::Parse("registry.opentofu.org");  // nothing depends on it
  if (!host) return {};
  Result<inspect::ModuleContents> inside = ReadPackage(package, {.default_host = *std::move(host)});
  return inside ? inspect::FoldersToUse(*inside) : std::vector<std::string>();
}

void PrintOutcome(const PublishOutcome& outcome, bool after_doubt, const ModuleAddress& address,
                  const std::string& block, Output& output) {
  const wire::PublishedModule& module = outcome.module;
  bool published = outcome.created || after_doubt;
  output.Print(fmt::format(
      "{} {} {}{}", published ? "Published" : "Already published, unchanged:",
      output.Bold(module.address), output.Bold(module.version),
      published && !outcome.created ? " (it was stored before the second attempt)" : ""));
  PrintDetails(module, output);
  NoteNewNamespace(address.ns(), module.made_namespace, output);
  PrintAgreement(module.comparison, output);
  output.Print("\nUse it:\n");
  output.Print(block);
  output.PrintDocument(wire::Encode(module));
  NoteWhatWasRead(module, output);
}

// What a publish would do: 1 when it would be refused.
int PrintDryRun(const wire::PublishedModule& module, Output& output) {
  const bool refused = !module.refusal.empty();
  output.Print(fmt::format("{} {} {} (dry run: nothing was stored)",
                           refused ? output.Red("Would be rejected:") : "Can be published:",
                           output.Bold(module.address), output.Bold(module.version)));
  PrintDetails(module, output);
  if (module.comparison) {
    output.Print("");
    PrintComparisonBriefly(*module.comparison, output);
  }
  if (!module.warnings.empty()) {
    output.Print("");
    output.Print(
        output.Bold(fmt::format("Warnings {}", module.warnings.size() + module.warnings_left_out)));
  }
  for (const wire::ReadWarning& each : module.warnings) {
    for (const std::string& line : WrapText(WarningText(each), kTextColumns - 2)) {
      output.Print("  " + line);
    }
  }
  if (module.warnings_left_out > 0) {
    output.Print(fmt::format("  and {} more", module.warnings_left_out));
  }
  output.PrintDocument(wire::Encode(module));
  if (refused) output.Note("koya: " + Printable(module.refusal, 4000));
  return refused ? 1 : 0;
}

constexpr unsigned kLongestPause = 10;  // seconds

Result<PublishOutcome> Send(RegistryClient& client, const ModuleAddress& address,
                            const Version& version, const Package& package, bool dry_run,
                            const Shell& shell) {
  ProgressBar bar(shell.err, package.size, shell.err_is_terminal);
  auto on_progress = [&bar](std::uint64_t sent) { bar.Show(sent); };
  return client.Publish(address, version, package.kind,
                        {package.file.get(), package.size, std::move(on_progress)}, dry_run);
}

// True if the server could not say whether the version was stored, since its database failed
// meanwhile; it then says when to retry. A server that cannot be reached does not.
bool IsInDoubt(const Error& error) {
  return error.kind == ErrorKind::kUnavailable && error.retry_after > 0;
}

// In this order everything that can be refused here is refused before anything is packed or sent.
Result<int> Publish(const PublishArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
  ASSIGN_OR_RETURN(Version version, Version::Parse(arguments.version));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ASSIGN_OR_RETURN(const CiIdentity job, UseCiIdentity(connection, address.ns(), output));
  if (!arguments.yes && !arguments.dry_run) {
    RETURN_IF_ERROR(ConfirmNewNamespace(connection, address.ns(), output));
  }
  const Shell& shell = output.shell();
  ASSIGN_OR_RETURN(Package package, OpenPackage(arguments.path, TemporaryFolder(shell.variables)));
  NoteCopies(package.copied_links, output);
  RegistryClient client(std::move(connection));
  Result<PublishOutcome> outcome =
      Send(client, address, version, package, arguments.dry_run, shell);
  bool in_doubt = !outcome && IsInDoubt(outcome.error());
  if (in_doubt) {
    // Publishing the same bytes twice is publishing them once.
    unsigned seconds = std::clamp(outcome.error().retry_after, 1U, kLongestPause);
    output.Note("koya: " + outcome.error().message);
    output.Note(fmt::format("koya: retrying in {} s", seconds));
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    outcome = Send(client, address, version, package, arguments.dry_run, shell);
  }
  if (!outcome) return job.Refused(std::move(outcome).error());
  if (arguments.dry_run && !outcome->module.dry_run) {
    return FailRefused("{} {} was published: this server is too old for dry runs",
                       address.ToString(), version.ToString());
  }
  if (arguments.dry_run) return PrintDryRun(outcome->module, output);
  const std::string host = PublicHost(outcome->module, client.server());
  PrintOutcome(*outcome, in_doubt, address,
               ModuleBlock(host, address, outcome->module.version, FoldersOf(package)), output);
  if (const std::string warning = HostWarning(host); !warning.empty()) output.Note(warning);
  return 0;
}

}  // namespace

void AddPublishCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* publish = program.add_subcommand("publish", "Publish to the registry");
  publish->require_subcommand(1);
  CLI::App* module = publish->add_subcommand("module", "Publish one version of a module");
  auto arguments = std::make_shared<PublishArguments>();
  module
      ->add_option("PATH", arguments->path,
                   "The module: its folder, or a .tar.gz, .tgz or .zip of it")
      ->required()
      ->type_name("");
  module
      ->add_option("ADDRESS", arguments->address, "NAMESPACE/NAME/SYSTEM, for example acme/vpc/aws")
      ->required()
      ->check(CheckOwnModule)
      ->type_name("");
  module
      ->add_option("VERSION", arguments->version,
                   "A semantic version, for example 1.2.0 or 2.0.0-rc.1")
      ->required()
      ->check(CheckVersion)
      ->type_name("");
  module->add_flag("--dry-run", arguments->dry_run,
                   "Show what would be published and check its number; store nothing");
  module->add_flag("--yes", arguments->yes,
                   "Do not ask on a terminal before creating a new namespace");
  AddServerFlags(*module, arguments->server);
  AddJsonFlag(*module, invocation);
  module->footer(std::string(kPublishFooter));
  module->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Publish(*arguments, output); };
  });
  AddPublishProviderCommand(*publish, invocation);
}

}  // namespace koya::cli
