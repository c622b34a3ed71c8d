// koya publish module PATH NAMESPACE/NAME/SYSTEM VERSION

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/api/connection.h"
#include "cli/api/registry_client.h"
#include "cli/ci_identity.h"
#include "cli/impact.h"
#include "cli/package.h"
#include "cli/program.h"
#include "cli/publish_package.h"
#include "cli/text/named_arguments.h"
#include "cli/text/output.h"
#include "cli/uploads.h"
#include "domain/module_address.h"
#include "domain/version.h"

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
  koya publish module modules/vpc acme/vpc/aws 1.2.0 \
    --source-url https://github.com/acme/network//modules/vpc
  koya publish module vpc.tar.gz acme/vpc/aws 1.2.0 --server https://registry.example.com
  koya publish module vpc.tar.gz acme/vpc/aws 1.2.0 --attach vpc.tar.gz.sigstore.json
  KOYA_TOKEN=… koya publish module . acme/vpc/aws "$TAG" --json)";

struct PublishArguments {
  std::string path;
  std::string address;
  std::string version;
  bool dry_run = false;
  bool yes = false;
  std::string break_glass;
  std::string source_url;
  std::vector<std::string> attach;
  ServerFlags server;
};

// In this order everything that can be refused here is refused before anything is packed or sent.
Result<int> Publish(const PublishArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
  ASSIGN_OR_RETURN(Version version, Version::Parse(arguments.version));
  ASSIGN_OR_RETURN(std::string source, CheckedSource(arguments.source_url));
  std::vector<FolderFile> attachments;
  RETURN_IF_ERROR(AddAttachments(arguments.attach, attachments));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  connection.break_glass = arguments.break_glass;
  ASSIGN_OR_RETURN(const CiIdentity job, UseCiIdentity(connection, address.ns(), output));
  if (!arguments.yes && !arguments.dry_run) {
    RETURN_IF_ERROR(ConfirmNewNamespace(connection, address.ns(), output));
  }
  ASSIGN_OR_RETURN(Package package,
                   OpenPackage(arguments.path, TemporaryFolder(output.shell().variables)));
  RegistryClient client(std::move(connection));
  Result<wire::PublishedModule> module = PublishPackage(
      client, {address, version, package, {}, arguments.dry_run, std::move(source)}, output);
  if (!module) return job.Refused(std::move(module).error());
  for (const FolderFile& file : attachments) {
    if (arguments.dry_run) break;
    RETURN_IF_ERROR(SendAttachment(
        client, At(wire::kPutModuleAttachment, address, version, file.name),
        fmt::format("{} {}", module->address, module->version), file.source, output));
  }
  output.PrintDocument(wire::Encode(*module));
  return module->refusal.empty() ? 0 : 1;
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
  AddBreakGlassFlag(*module, arguments->break_glass);
  AddSourceFlag(*module, arguments->source_url);
  AddAttachFlag(*module, arguments->attach);
  AddServerFlags(*module, arguments->server);
  AddJsonFlag(*module, invocation);
  module->footer(std::string(kPublishFooter));
  module->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Publish(*arguments, output); };
  });
  AddPublishModulesCommand(*publish, invocation);
  AddPublishProviderCommand(*publish, invocation);
}

}  // namespace koya::cli
