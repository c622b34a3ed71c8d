// koya show module NAMESPACE/NAME/SYSTEM [VERSION], koya show provider NAMESPACE/TYPE [VERSION]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/api/provider_client.h"
#include "cli/api/registry_client.h"
#include "cli/commands.h"
#include "cli/text/address_checks.h"
#include "cli/text/module_block.h"
#include "cli/text/provider_block.h"
#include "wire/trust.h"

namespace koya::cli {
namespace {

struct ShowArguments {
  std::string address;
  std::string version;
  ServerFlags server;
};

// nullopt: the latest.
Result<std::optional<Version>> GivenVersion(const ShowArguments& arguments) {
  if (arguments.version.empty()) return std::nullopt;
  return Version::ParseLookup(arguments.version);
}

// "HOST/NAMESPACE/NAME/SYSTEM" is what Koya sends as source; other registries send the URL of a
// repository there. The host that the server itself writes before the address, so that what is
// shown can be pasted.
std::string SourceHost(const wire::ModuleDetails& module, const http::Url& server) {
  std::size_t slash = module.source.find('/');
  bool full = slash != std::string::npos && module.source.find("://") == std::string::npos &&
              module.source.substr(slash + 1).find('/') != std::string::npos &&
              module.source.find_first_of(".:") < slash;
  return full ? module.source.substr(0, slash) : server.Authority();
}

void PrintProvenance(const wire::Provenance& provenance, Output& output) {
  if (provenance.empty()) return;
  output.Print("  provenance");
  for (const auto& [name, value] : provenance) {
    output.Print(fmt::format("    {:<12} {}", Printable(name, 40), Printable(value, 600)));
  }
}

void PrintModule(const wire::ModuleDetails& module, const ModuleAddress& address,
                 const std::string& host, Output& output) {
  output.Print(output.Bold(fmt::format("{} {}", address.ToString(), module.version)));
  if (!module.description.empty()) output.Print("  description  " + module.description);
  if (!module.owner.empty()) output.Print("  published by " + module.owner);
  output.Print("  published    " + module.published_at);
  if (module.downloads > 0) {
    output.Print(fmt::format("  fetched      {}", module.downloads == 1
                                                      ? "once"
                                                      : fmt::format("{} times", module.downloads)));
  }
  PrintProvenance(module.provenance, output);
  if (!module.versions.empty()) {
    output.Print(fmt::format("  versions     {}", fmt::join(module.versions, ", ")));
  }
  output.Print("");
  output.Print(ModuleBlock(host, address, module.version));
  std::string warning = HostWarning(host);
  if (!warning.empty() && !output.json()) output.Note(warning);
  output.PrintDocument(wire::EncodeModuleDetails(module));
}

void PrintProvider(const wire::ProviderDetails& provider, const ProviderAddress& address,
                   const std::string& host, Output& output) {
  std::vector<std::string> platforms;
  platforms.reserve(provider.platforms.size());
  for (const wire::PlatformName& platform : provider.platforms) {
    platforms.push_back(platform.os + "_" + platform.arch);
  }
  output.Print(output.Bold(fmt::format("{} {}", address.ToString(), provider.version)));
  if (!provider.deprecation.empty()) {
    output.Print("  deprecated   " + output.Yellow(Printable(provider.deprecation, 2000)));
  }
  if (!provider.owner.empty()) output.Print("  published by " + provider.owner);
  output.Print("  published    " + provider.published_at);
  output.Print(fmt::format("  protocols    {}", fmt::join(provider.protocols, ", ")));
  output.Print(fmt::format("  platforms    {}", fmt::join(platforms, ", ")));
  if (!provider.key_fingerprint.empty()) {
    output.Print("  signed by    " + provider.key_fingerprint);
  }
  if (!provider.shasums_digest.empty()) output.Print("  SHA256SUMS   " + provider.shasums_digest);
  PrintProvenance(provider.provenance, output);
  if (!provider.versions.empty()) {
    output.Print(fmt::format("  versions     {}", fmt::join(provider.versions, ", ")));
  }
  output.Print("");
  output.Print(ProviderBlock(host, address, provider.version));
  output.PrintDocument(wire::EncodeProviderDetails(provider));
}

Result<int> ShowModule(const ShowArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
  ASSIGN_OR_RETURN(std::optional<Version> version, GivenVersion(arguments));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  RegistryClient client(std::move(connection));
  ASSIGN_OR_RETURN(wire::ModuleDetails module, client.ShowModule(address, version));
  PrintModule(module, address, SourceHost(module, client.server()), output);
  return 0;
}

Result<int> ShowProvider(const ShowArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(arguments.address));
  ASSIGN_OR_RETURN(std::optional<Version> version, GivenVersion(arguments));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ProviderClient client(std::move(connection));
  ASSIGN_OR_RETURN(wire::ProviderDetails provider, client.ShowProvider(address, version));
  PrintProvider(provider, address, ProviderHost(provider.source, client.server()), output);
  return 0;
}

using ShowAction = Result<int> (*)(const ShowArguments&, Output&);

struct Showing {
  std::string thing;    // "module"
  std::string address;  // what its address looks like
  std::string (*check)(const std::string& address);
  ShowAction action;
};

void AddShowing(CLI::App& show, Invocation& invocation, const Showing& showing) {
  CLI::App* command = show.add_subcommand(
      showing.thing, fmt::format("Show a {}: a version, or the latest", showing.thing));
  auto arguments = std::make_shared<ShowArguments>();
  command->add_option("ADDRESS", arguments->address, showing.address)
      ->required()
      ->check(showing.check)
      ->type_name("");
  command->add_option("VERSION", arguments->version, "A version; the latest when it is left out")
      ->check(CheckKnownVersion)
      ->type_name("");
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action = showing.action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
}

}  // namespace

void AddShowCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* show = program.add_subcommand("show", "Show one thing that the registry holds");
  show->require_subcommand(1);
  AddShowing(*show, invocation,
             {"module", "NAMESPACE/NAME/SYSTEM, as acme/vpc/aws", CheckModule, ShowModule});
  AddShowing(*show, invocation,
             {"provider", "NAMESPACE/TYPE, as acme/demo", CheckProvider, ShowProvider});
}

}  // namespace koya::cli
