// koya show module NAMESPACE/NAME/SYSTEM [VERSION]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/module_block.h"

namespace koya::cli {
namespace {

struct ShowArguments {
  std::string address;
  std::string version;
  ServerFlags server;
};

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

void PrintModule(const wire::ModuleDetails& module, const ModuleAddress& address,
                 const std::string& host, Output& output) {
  output.Print(output.Bold(fmt::format("{} {}", address.ToString(), module.version)));
  if (!module.description.empty()) output.Print("  description  " + module.description);
  if (!module.owner.empty()) output.Print("  published by " + module.owner);
  output.Print("  published    " + module.published_at);
  std::string versions;
  for (const std::string& version : module.versions) {
    versions += (versions.empty() ? "" : ", ") + version;
  }
  if (!versions.empty()) output.Print("  versions     " + versions);
  output.Print("");
  output.Print(ModuleBlock(host, address, module.version));
  std::string warning = HostWarning(host);
  if (!warning.empty() && !output.json()) output.Note(warning);
  output.PrintDocument(wire::EncodeModuleDetails(module));
}

Result<int> Show(const ShowArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
  std::optional<Version> version;
  if (!arguments.version.empty()) {
    ASSIGN_OR_RETURN(version, Version::ParseLookup(arguments.version));
  }
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  RegistryClient client(std::move(connection));
  ASSIGN_OR_RETURN(wire::ModuleDetails module, client.ShowModule(address, version));
  PrintModule(module, address, SourceHost(module, client.server()), output);
  return 0;
}

}  // namespace

void AddShowCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* show = program.add_subcommand("show", "Show one thing that the registry holds");
  show->require_subcommand(1);
  CLI::App* module = show->add_subcommand("module", "Show a module: a version, or the latest");
  auto arguments = std::make_shared<ShowArguments>();
  module->add_option("ADDRESS", arguments->address, "NAMESPACE/NAME/SYSTEM, as acme/vpc/aws")
      ->required()
      ->type_name("");
  module->add_option("VERSION", arguments->version, "A version; the latest when it is left out")
      ->type_name("");
  AddServerFlags(*module, arguments->server);
  AddJsonFlag(*module, invocation);
  module->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Show(*arguments, output); };
  });
}

}  // namespace koya::cli
